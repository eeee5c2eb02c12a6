export { joinWords } from '../../../parse/shell-words.ts';
/**
 * Terminal escape sequences: CSI, complete string sequences (OSC, DCS, SOS, PM, APC), and two-character escapes. Each
 * part takes linear time: a string sequence must not cross a control character.
 */
const ESCAPE_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is for
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])\P{Cc}*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]/gu;

/** Colors, in the form that this program writes. */
// oxlint-disable-next-line no-control-regex -- as above
const COLOR = /(\u001B\[[\d;]*m)/u;

/**
 * Characters that are never shown: control characters, and invisible characters that change how others are read (bidi
 * overrides, zero-width spaces, tags). Joiners and emoji selectors stay, because scripts and emoji need them.
 */
const UNSEEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[\uFE0E\uFE0F\n\t\u200C\u200D]]/gv;

/** Like `UNSEEN`, with line separators, and without the characters that JSON escapes itself or uses for layout. */
const UNSEEN_IN_JSON =
  /[[\u007F-\u009F\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]--[\uFE0E\uFE0F\u200C\u200D]]/gv;

/** Untrusted text on one line, without anything that could control the terminal. */
export function toLine(text: string): string {
  return withoutControls(text.replaceAll(/[\s--\uFEFF]+/gv, ' '))
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** Untrusted text with its line breaks, without anything that could control the terminal. */
export function toBlock(text: string): string {
  return withoutControls(text.replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n'));
}

/** The last check before a terminal: keeps colors if the output has them, and removes all other sequences. */
export function guardText(text: string, hasColors: boolean): string {
  if (!hasColors) return withoutControls(text);
  return text
    .split(COLOR)
    .map((part, index) => (index % 2 === 1 ? part : withoutControls(part)))
    .join('');
}

/** JSON with every invisible character escaped. It parses to the same value. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(UNSEEN_IN_JSON, toEscape);
}

/** Like `toJsonText`, but on one line. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSEEN_IN_JSON, toEscape);
}

function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll(ESCAPE_SEQUENCE, '').replaceAll(UNSEEN, '');
}

function toEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

const NO_WIDTH = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;
const TWO_CELLS =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;
const PLAIN = /^[ -~]*$/;

/**
 * The number of terminal cells that a text takes: two for East Asian characters and emoji, none for combining marks.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text cut to a width. A cut text ends with `…`. */
export function cutText(text: string, width: number): string {
  if (text.length <= width && PLAIN.test(text)) return text;
  let used = 0;
  let end = 0;
  let endWithDots = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) return `${text.slice(0, endWithDots).trimEnd()}…`;
    end += character.length;
    if (used < width) endWithDots = end;
  }
  return text;
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Wraps text at spaces. A word that is wider than a line is split. The first line may be narrower than the others. */
export function wrapText(text: string, width: number, firstWidth: number = width): string[] {
  const room = Math.max(8, width);
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(/ +/).flatMap((long) => splitWord(long, room))) {
    const size = textWidth(word);
    if (line !== '' && used + 1 + size > (lines.length === 0 ? Math.min(room, firstWidth) : room)) {
      lines.push(line);
      line = '';
      used = 0;
    }
    used += size + (line === '' ? 0 : 1);
    line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
}

function splitWord(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of word) {
    const size = characterWidth(character);
    if (used + size > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += size;
  }
  return [...parts, part];
}

function characterWidth(character: string): number {
  if (PLAIN.test(character)) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return TWO_CELLS.test(character) ? 2 : 1;
}
