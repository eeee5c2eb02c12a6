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

/** The same, plus line separators, minus the characters that JSON escapes itself or uses for layout. */
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
