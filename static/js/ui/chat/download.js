/** Saves what a tool or a model said as a file of text. */

import { saveFile } from "../lib/download.js";

const FORBIDDEN = /[^\p{L}\p{N}._-]+/gu;

export function saveText(name, text) {
  saveFile(`${name.replace(FORBIDDEN, "-").slice(0, 80)}.txt`, text, "text/plain;charset=utf-8");
}
