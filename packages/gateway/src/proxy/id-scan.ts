const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Longer texts are no names and no ids. */
const MAX_TEXT = 256;

/**
 * Looks for the text at a path of keys in JSON that comes bit by bit, alone or in the frames of a stream, and keeps
 * nothing but where it is. The same key anywhere else is another one: answers repeat what clients write.
 */
export function createIdScan(path: readonly string[]): (bytes: Uint8Array) => string | undefined {
  /** The key that each object around is at; `undefined` in lists. */
  let keys: (string | undefined)[] = [];
  let text: number[] | undefined;
  let isEscaped = false;
  let lastText: string | undefined;
  let isValue = false;

  const isHere = (): boolean => keys.length === path.length && path.every((key, depth) => keys[depth] === key);
  const endText = (): string | undefined => {
    lastText = text !== undefined && text.length <= MAX_TEXT ? Buffer.from(text).toString('utf8') : undefined;
    text = undefined;
    return isValue && isHere() ? lastText : undefined;
  };
  const readMark = (byte: number): void => {
    if (byte === QUOTE && keys.length > 0) text = [];
    else if (byte === COLON && keys.length > 0) {
      keys[keys.length - 1] = lastText;
      isValue = true;
    } else if (OPEN.has(byte)) {
      // What is before an object, such as the name of an event, is none of its keys.
      keys.push(undefined);
      isValue = false;
    } else if (CLOSE.has(byte)) {
      keys = keys.slice(0, -1);
      isValue = false;
    } else if (!BLANK.has(byte)) isValue = isValue && byte !== 0x2c;
  };
  const readTextByte = (byte: number): string | undefined => {
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) return endText();
    if (text !== undefined && text.length <= MAX_TEXT) text.push(byte);
    return undefined;
  };

  return (bytes) => {
    for (const byte of bytes) {
      if (text === undefined) readMark(byte);
      else {
        const found = readTextByte(byte);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
}
