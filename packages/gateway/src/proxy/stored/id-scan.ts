const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;

/** The longest text that may be a name or an id. */
const MAX_TEXT = 1_024;

/** Matches any place in a list. */
export const EACH = '[]';

/**
 * Finds the texts at given key paths in JSON that arrives piece by piece, alone or in the frames of a stream. Keeps
 * only its position. The same key elsewhere does not count, because responses repeat what clients write.
 */
export function createIdScan(
  paths: readonly (readonly string[])[],
  onText: (text: string, path: number) => void,
): (bytes: Uint8Array) => void {
  const deepest = Math.max(...paths.map(({ length }) => length));
  /** The current key of each enclosing object. */
  const keys: (string | undefined)[] = [];
  let isText = false;
  let isEscaped = false;
  /** The beginning of the current text, from earlier bytes. */
  let begun = '';
  let lastText: string | undefined;
  let isValue = false;

  const tellText = (): void => {
    if (lastText === undefined || keys.length > deepest) return;
    for (const [place, path] of paths.entries())
      if (keys.length === path.length && path.every((key, depth) => keys[depth] === key)) onText(lastText, place);
  };
  const readMark = (byte: number): void => {
    if (byte === QUOTE) {
      // Text before an object, such as the name of an event, is not a key.
      isText = keys.length > 0;
      begun = '';
    } else if (byte === COLON) {
      if (keys.length > 0) keys[keys.length - 1] = lastText;
      isValue = true;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      keys.push(byte === OPEN_LIST ? EACH : undefined);
      isValue = false;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      keys.pop();
      isValue = false;
    } else if (byte === COMMA) isValue = false;
  };
  /** Continues a text and returns its end. Drops texts that are too deep to matter. */
  const readText = (bytes: Buffer, start: number): number => {
    const end = endOfText(bytes, start, isEscaped);
    const isWhole = end < bytes.length;
    if (!isWhole) isEscaped = endsEscaped(bytes, start, isEscaped);
    if (keys.length <= deepest && begun.length <= MAX_TEXT)
      begun += bytes.toString('latin1', start, Math.min(end, start + MAX_TEXT + 1));
    if (!isWhole) return end;
    lastText = keys.length <= deepest && begun.length <= MAX_TEXT ? begun : undefined;
    isText = false;
    isEscaped = false;
    if (isValue) tellText();
    return end;
  };

  return (given) => {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    for (let index = 0; index < bytes.length; index += 1)
      if (isText) index = readText(bytes, index);
      else readMark(bytes[index] as number);
  };
}

/** The index of the quote that ends a text, or the number of bytes if the text continues after them. */
function endOfText(bytes: Buffer, start: number, isEscaped: boolean): number {
  let from = isEscaped ? start + 1 : start;
  for (;;) {
    const end = bytes.indexOf(QUOTE, from);
    if (end === -1) return bytes.length;
    if (!endsEscaped(bytes.subarray(0, end), from, false)) return end;
    from = end + 1;
  }
}

/** Whether the last of these bytes escapes the next. */
function endsEscaped(bytes: Uint8Array, start: number, isEscaped: boolean): boolean {
  const from = isEscaped ? start + 1 : start;
  let before = bytes.length;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (bytes.length - before) % 2 === 1;
}
