/** Saves a text as a file. */

const FORBIDDEN = /[^\p{L}\p{N}._-]+/gu;

export function saveText(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replace(FORBIDDEN, "-").slice(0, 80)}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
