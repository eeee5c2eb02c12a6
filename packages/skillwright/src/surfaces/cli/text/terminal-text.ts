/**
 * Escape sequences of terminals: CSI, the string sequences (OSC, DCS, SOS, PM, APC) where they end, and two-character
 * escapes. Each part is linear: no string sequence may run over a control character.
 */
const ESCAPE_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is for
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])\P{Cc}*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]/gu;

/** Colors, as this program writes them itself. */
// oxlint-disable-next-line no-control-regex -- as above
const COLOR = /(\u001B\[[\d;]*m)/u;

/**
 * What is never shown: control characters, and characters that take no room but change how others are read (bidi
 * overrides, zero-width spaces, tags). Joiners and emoji selectors stay: scripts and emoji need them.
 */
const UNSEEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[\uFE0E\uFE0F\n\t\u200C\u200D]]/gv;

/** The same, with line separators and without what JSON escapes by itself or is laid out with. */
const UNSEEN_IN_JSON =
  /[[\u007F-\u009F\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]--[\uFE0E\uFE0F\u200C\u200D]]/gv;

/** Text of others on one line, without anything that could steer the terminal. */
export function toLine(text: string): string {
  return withoutControls(text.replaceAll(/[\s--\uFEFF]+/gv, ' '))
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** Text of others with its lines kept, without anything that could steer the terminal. */
export function toBlock(text: string): string {
  return withoutControls(text.replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n'));
}

/** The last guard before a terminal: lets colors through where there are any, and nothing else. */
export function guardText(text: string, hasColors: boolean): string {
  if (!hasColors) return withoutControls(text);
  return text
    .split(COLOR)
    .map((part, index) => (index % 2 === 1 ? part : withoutControls(part)))
    .join('');
}

/** JSON in which every character that is not plainly visible is written as an escape. Parses to the same value. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(UNSEEN_IN_JSON, toEscape);
}

/** The same on one line. */
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
