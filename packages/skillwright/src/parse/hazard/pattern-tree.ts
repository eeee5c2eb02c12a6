/** A regular expression, reduced to what decides how it matches. */
export type PatternTree =
  /** One character. `source` is a complete expression, such as `[a-z]` or `\d`. */
  | { readonly kind: 'atom'; readonly source: string }
  /** Parts in sequence; an empty sequence is the empty text. */
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternTree[] }
  /** A lookahead or lookbehind, which consumes nothing. */
  | { readonly kind: 'look'; readonly part: PatternTree }
  | { readonly kind: 'repeat'; readonly part: PatternTree; readonly least: number; readonly most: number };

const EMPTY: PatternTree = { kind: 'sequence', parts: [] };
/** The most that a backreference can match. */
const ANYTHING: PatternTree = { kind: 'repeat', part: { kind: 'atom', source: '[^]' }, least: 0, most: Infinity };
const GROUP = /\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?/y;
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|k<[^>]*>|[1-9]\d*|[^])/uy;
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/uy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y;
const CHARACTER = /[^]/uy;

/** Parses a valid expression with the flag `u`. */
export function readPattern(pattern: string): PatternTree {
  let place = 0;
  const take = (token: RegExp): RegExpExecArray | undefined => {
    token.lastIndex = place;
    const found = token.exec(pattern) ?? undefined;
    if (found !== undefined) place += found[0].length;
    return found;
  };

  const choice = (): PatternTree => {
    const parts = [sequence()];
    while (pattern[place] === '|') {
      place += 1;
      parts.push(sequence());
    }
    return parts.length === 1 ? (parts[0] ?? EMPTY) : { kind: 'choice', parts };
  };
  const sequence = (): PatternTree => {
    const parts: PatternTree[] = [];
    while (place < pattern.length && pattern[place] !== '|' && pattern[place] !== ')') parts.push(quantified());
    return { kind: 'sequence', parts };
  };
  const quantified = (): PatternTree => {
    const part = term();
    const found = take(QUANTIFIER);
    return found === undefined ? part : { kind: 'repeat', part, ...boundsOf(found) };
  };
  const term = (): PatternTree => {
    const group = take(GROUP)?.[0];
    if (group !== undefined) {
      const part = choice();
      place += 1;
      return /[=!]$/.test(group) ? { kind: 'look', part } : part;
    }
    const source = (take(CLASS) ?? take(ESCAPE) ?? take(CHARACTER))?.[0] ?? '';
    if (source === '^' || source === '$' || /^\\b$/i.test(source)) return EMPTY;
    return /^\\(?:k<|[1-9])/.test(source) ? ANYTHING : { kind: 'atom', source };
  };
  return choice();
}

function boundsOf([written, least, more, most]: RegExpExecArray): { least: number; most: number } {
  if (least === undefined)
    return { least: written.startsWith('+') ? 1 : 0, most: written.startsWith('?') ? 1 : Infinity };
  const from = Number(least);
  return { least: from, most: more === undefined ? from : most === '' ? Infinity : Number(most) };
}
