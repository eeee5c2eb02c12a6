import { toBlock } from '../../text/terminal-text.ts';

/** Takes from a text that comes in pieces whatever could steer a terminal. */
export interface CleanStream {
  /** What can be shown so far. */
  add(piece: string): string;
  /** The rest. */
  end(): string;
}

/** An escape sequence that is longer is shown as far as it can be seen. */
const MAX_HELD = 256;
/** What may go on in the next piece: half a character, a line end of two, an escape sequence. */
const UNFINISHED =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is for
  /(?:[\uD800-\uDBFF]|\r|(?:\u001B\[|\u009B)[ -?]*|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u009C\u001B]*\u001B?|\u001B[ -/]*)$/;

export function createCleanStream(): CleanStream {
  let held = '';
  return {
    add(piece) {
      const text = held + piece;
      const tail = text.slice(-MAX_HELD);
      const start = UNFINISHED.exec(tail)?.index ?? tail.length;
      held = tail.slice(start);
      return toBlock(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = toBlock(held);
      held = '';
      return rest;
    },
  };
}
