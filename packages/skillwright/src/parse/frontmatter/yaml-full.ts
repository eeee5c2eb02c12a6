import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';

/** The most nodes, counting each use of an alias. Real frontmatter has fewer. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
/** The most characters of text. Frontmatter can only have more if aliases repeat the text. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;

export type FullYaml =
  | { readonly kind: 'mapping'; readonly entries: readonly YamlEntry[]; readonly duplicates: boolean }
  | { readonly kind: 'other' }
  /** Aliases expand beyond a limit, or nest endlessly. */
  | { readonly kind: 'bomb' }
  /** `line` is the 1-based line number within the text. */
  | { readonly kind: 'invalid'; readonly line: number; readonly reason: string };

/** The full parser: YAML 1.2 core schema, data only, with limits. Never throws. */
export function parseFullYaml(text: string): FullYaml {
  if (isBlankYaml(text)) return { kind: 'mapping', entries: [], duplicates: false };
  const strict = loadYaml(text, false);
  const loaded = strict.ok ? strict : loadYaml(text, true);
  if (!loaded.ok) return strict.ok ? loaded.problem : strict.problem;
  const { value } = loaded;
  if (value === null || value === undefined) return { kind: 'mapping', entries: [], duplicates: false };
  if (typeof value !== 'object' || Array.isArray(value)) return { kind: 'other' };
  const characters = Math.max(MAX_CHARACTERS, text.length);
  const copy = copyBounded(value, { nodes: MAX_NODES, characters }, 0);
  if (copy === undefined) return { kind: 'bomb' };
  return { kind: 'mapping', entries: Object.entries(copy as Record<string, YamlValue>), duplicates: !strict.ok };
}

type Loaded = { ok: true; value: unknown } | { ok: false; problem: FullYaml & { kind: 'invalid' } };

/**
 * With `lastWins`, a repeated key is not an error. If a text loads only with this option, its fault is a repeated key.
 */
function loadYaml(text: string, lastWins: boolean): Loaded {
  try {
    return { ok: true, value: load(text, { schema: CORE_SCHEMA, json: lastWins, maxAliases: -1 }) };
  } catch (error) {
    const mark = error instanceof YAMLException ? error.mark : undefined;
    const reason = error instanceof YAMLException ? error.reason : 'nested too deeply';
    return { ok: false, problem: { kind: 'invalid', line: (mark?.line ?? 0) + 1, reason } };
  }
}

/**
 * A copy without shared parts, so that later code can walk it freely; `undefined` if it would become too large.
 * `__proto__` keys stay ordinary data.
 */
function copyBounded(value: unknown, budget: Budget, depth: number): YamlValue | undefined {
  budget.nodes -= 1;
  if (typeof value === 'string') budget.characters -= value.length;
  if (budget.nodes < 0 || budget.characters < 0 || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const items: YamlValue[] = [];
    for (const item of value) {
      const copy = copyBounded(item, budget, depth + 1);
      if (copy === undefined) return undefined;
      items.push(copy);
    }
    return items;
  }
  if (typeof value === 'object' && value !== null) {
    const map: Record<string, YamlValue> = {};
    for (const [key, item] of Object.entries(value)) {
      budget.characters -= key.length;
      const copy = copyBounded(item, budget, depth + 1);
      if (copy === undefined) return undefined;
      Object.defineProperty(map, key, { value: copy, enumerable: true, configurable: true, writable: true });
    }
    return map;
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

/** How much of a value may still be copied. */
interface Budget {
  nodes: number;
  characters: number;
}

/** Whether the text has only blank lines and comments, which the library refuses as a document. */
function isBlankYaml(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#[^\n]*)?$/.test(line));
}

/** Plain data: the values that YAML frontmatter may have. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** A top-level key and its value, in source order. */
export type YamlEntry = [key: string, value: YamlValue];
