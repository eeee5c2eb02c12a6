import type { YamlValue } from './yaml-full.ts';

const COLON = 58;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

/** Letters and `_`; after the first character also digits and `-`. */
export function isPlainKeyChar(code: number, first: boolean): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
  return isLetter || (!first && ((code >= 48 && code <= 57) || code === 45));
}

/** One trimmed, non-empty scalar on one line; `undefined` if only the full parser can tell its meaning. */
export function plainScalar(source: string): YamlValue | undefined {
  const first = source.charCodeAt(0);
  if (first === DOUBLE_QUOTE) return doubleQuoted(source);
  if (first === SINGLE_QUOTE) return singleQuoted(source);
  if (first < 128 && NOT_PLAIN_START[first] === 1) return undefined;
  if (source.includes(': ') || source.includes(' #') || source.charCodeAt(source.length - 1) === COLON)
    return undefined;
  if (first >= 48 && first <= 57) return numeric(source);
  return source.length <= 5 && WORDS.has(source) ? (WORDS.get(source) ?? null) : source;
}

/** Whether a text that is not a plain scalar only needs quotes to be valid: `Use when: asked`. */
export function textNeedsQuotes(source: string): boolean {
  if (!isPlainKeyChar(source.charCodeAt(0), true) || source.includes(' #')) return false;
  return source.includes(': ') || source.endsWith(':');
}

const NOT_PLAIN_START: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  '!&*?|>@%`{}[],#:-~+.'.includes(String.fromCharCode(code)) ? 1 : 0,
);

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['null', null],
  ['Null', null],
  ['NULL', null],
]);

const SIMPLE_NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;
const OTHER_NUMBER = /^(?:0o[0-7]+|0x[\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)$/;

function numeric(source: string): YamlValue | undefined {
  if (SIMPLE_NUMBER.test(source)) return Number(source);
  return OTHER_NUMBER.test(source) ? undefined : source;
}

function singleQuoted(source: string): string | undefined {
  const last = source.length - 1;
  if (last < 1 || source.charCodeAt(last) !== SINGLE_QUOTE) return undefined;
  const inner = source.slice(1, last);
  if (!inner.includes("'")) return inner;
  const unescaped = inner.replaceAll("''", '\0');
  return unescaped.includes("'") ? undefined : unescaped.replaceAll('\0', "'");
}

/** A double-quoted text whose only escapes are `\"` and `\\`. */
function doubleQuoted(source: string): string | undefined {
  const last = source.length - 1;
  if (last < 1 || source.charCodeAt(last) !== DOUBLE_QUOTE) return undefined;
  const inner = source.slice(1, last);
  if (!inner.includes('\\')) return inner.includes('"') ? undefined : inner;
  const rest = inner.replaceAll(/\\["\\]/g, '');
  return rest.includes('"') || rest.includes('\\') ? undefined : inner.replaceAll(/\\(["\\])/g, '$1');
}
