const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How deep arrays and objects nest in a JSON text; stops counting beyond `limit`. Strings are skipped in one step. */
export function jsonDepth(text: Buffer, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length && deepest <= limit; index += 1) {
    const byte = text[index];
    if (byte === QUOTE) index = endOfString(text, index);
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, (depth += 1));
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return deepest;
}

/** The index of the quote that ends the string which starts at `start`. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end !== -1; end = text.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (text[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
