/** Server-sent events out of a stream's text, whatever pieces it comes in. Pure. */

/** @returns {(text: string) => string[]}  the data of the events that `text` completes */
export function createSseParser() {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    return blocks.map(dataOf).filter((data) => data !== null);
  };
}

function dataOf(block) {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line[5] === " " ? 6 : 5)).join("\n");
}
