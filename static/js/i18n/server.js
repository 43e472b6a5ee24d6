/** What the server says is English. In another language the page says what it means, as far as it knows it: by its code, or by the sentence. */

import { serverTexts } from "./index.js";

const filled = (words, parts) => words.replace(/\$(\d)/g, (_, at) => parts[at - 1]);

/** A sentence of the server's own, such as why a line is dangerous. */
export function sentence(text) {
  const { sentences, patterns } = serverTexts();
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  if (Object.hasOwn(sentences, whole)) return sentences[whole];
  const [pattern, words] = patterns.find(([one]) => one.test(text)) ?? [];
  return pattern ? filled(words, pattern.exec(text).slice(1).map(sentence)) : text;
}

/** A refusal: what its code means, and behind it what the server says. @param {{code?: string, message: string}} error */
export function refusal({ code, message }) {
  const { codes, refused } = serverTexts();
  return Object.hasOwn(codes, code) ? filled(refused, [codes[code], message]) : message;
}
