import { shortHash } from './call-ids.ts';

/** Maps tool names to names that every provider accepts, and back. */
export interface ToolNames {
  /**
   * The name for providers. It does not depend on the other names, unless somebody constructed a hash clash on purpose.
   */
  encode(name: string): string;
  /**
   * The original name for a name that a model wrote: encoded, plain, or plain with a version after an `@`. Ignores the
   * version, because a host that offers several versions gives each its own name. `undefined` for an unknown name.
   */
  decode(name: string): string | undefined;
}

/** Names that OpenAI, Anthropic and Gemini all accept. */
const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

const HASH_LENGTH = 8;
const MAX_STEM = 64 - 1 - HASH_LENGTH;
/** How many characters of a name are read for its stem. */
const MAX_READ = 1_024;

/**
 * Maps tool names to names that every provider accepts, and back. A legal name stays the same. Any other name becomes a
 * legal stem with a hash of the whole name, so that names with the same stem stay distinct. The order of `names` does
 * not matter.
 */
export function createToolNames(names: Iterable<string>): ToolNames {
  const known = [...new Set(names)].sort();
  const byEncoded = new Map(known.filter(isLegalToolName).map((name) => [name, name]));
  for (const name of known.filter((other) => !isLegalToolName(other))) {
    let attempt = 0;
    while (byEncoded.has(hashedName(name, attempt))) attempt += 1;
    byEncoded.set(hashedName(name, attempt), name);
  }
  const encoded = new Map([...byEncoded].map(([code, name]) => [name, code]));
  return {
    encode: (name) => encoded.get(name) ?? (isLegalToolName(name) ? name : hashedName(name, 0)),
    decode: (name) => byEncoded.get(name) ?? plainName(name, encoded),
  };
}

function isLegalToolName(name: string): boolean {
  return LEGAL.test(name);
}

function plainName(name: string, known: ReadonlyMap<string, string>): string | undefined {
  if (known.has(name)) return name;
  const unversioned = name.slice(0, Math.max(0, name.lastIndexOf('@')));
  return known.has(unversioned) ? unversioned : undefined;
}

/** A legal name in place of an illegal one; `attempt` distinguishes names whose hashes clash. */
export function hashedName(name: string, attempt: number): string {
  const ascii = name.slice(0, MAX_READ).normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const words = ascii.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  const stem = words === '' ? 'tool' : /^[a-zA-Z_]/.test(words) ? words : `_${words}`;
  return `${stem.slice(0, MAX_STEM)}_${shortHash(attempt === 0 ? name : `${name}\0${attempt}`, HASH_LENGTH)}`;
}
