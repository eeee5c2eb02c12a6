import { isDeepStrictEqual } from 'node:util';
import type { SkillMetadata } from '../../packages/skillwright/src/index.ts';

/** A field that the library reads differently than the full parser. */
export interface FieldDifference {
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The meaning of the written value, `undefined` for "absent", or `SKIP` if several readings are right. */
type Reading = (value: unknown) => unknown;

const SKIP: unique symbol = Symbol('not compared');

const spelling = (key: string): string => key.replaceAll(/[-_\s]/g, '').toLowerCase();

const text: Reading = (value) => {
  if (value === null) return undefined;
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'boolean' ? String(value) : SKIP;
};

const list =
  (separator: RegExp): Reading =>
  (value) => {
    const items = typeof value === 'string' ? value.split(separator) : value;
    if (value === null) return undefined;
    if (!Array.isArray(items) || items.some((item) => typeof item === 'object')) return SKIP;
    const words = [...new Set(items.map((item) => String(item).trim()))].filter((item) => item !== '');
    return words.length === 0 ? undefined : words;
  };

const TOOL_ENTRIES = /^(?:[\w*.:/-]+(?:\([^()]*\))?(?:[\s,]+|$))*$/;

/** Only lists of plain entries, because the grammar has its own tests. */
const tools: Reading = (value) => {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part !== 'string' || !TOOL_ENTRIES.test(part.trim())) return SKIP;
    for (const [entry] of part.matchAll(/[\w*.:/-]+(?:\([^()]*\))?/g)) names.add(entry.replace(/\(\s*\*\s*\)$/, ''));
  }
  return names.size === 0 ? undefined : [...names];
};

const map: Reading = (value) =>
  value === null ? undefined : typeof value === 'object' && !Array.isArray(value) ? value : SKIP;

const flag: Reading = (value) => (typeof value === 'boolean' ? value : SKIP);

const semver: Reading = (value) =>
  typeof value === 'string' && /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(value)
    ? value
    : value === null
      ? undefined
      : SKIP;

const FIELDS: ReadonlyMap<string, readonly [keyof SkillMetadata, Reading]> = new Map(
  Object.entries({
    description: ['description', text],
    license: ['license', text],
    compatibility: ['compatibility', text],
    metadata: ['metadata', map],
    'allowed-tools': ['allowedTools', tools],
    'disallowed-tools': ['disallowedTools', tools],
    version: ['version', semver],
    model: ['model', text],
    'disable-model-invocation': ['disableModelInvocation', flag],
    'user-invocable': ['userInvocable', flag],
    when_to_use: ['whenToUse', text],
    'argument-hint': ['argumentHint', text],
    arguments: ['arguments', list(/[,\s]+/)],
    triggers: ['triggers', list(/,/)],
    homepage: ['homepage', text],
    created: ['created', text],
    last_updated: ['lastUpdated', text],
    context: ['context', text],
    agent: ['agent', text],
    hooks: ['hooks', map],
    effort: ['effort', text],
    shell: ['shell', text],
  } as const).map(([key, [field, reading]]) => [spelling(key), [field, reading] as const]),
);

const TAG_KEYS: ReadonlySet<string> = new Set(['tags', 'keywords', 'category']);
/** Read by special rules, which have their own tests. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  'name',
  'modelhints',
  'dependencies',
  'author',
  'mode',
  'paths',
  'background',
  'requires',
]);

/** Compares the library's fields with those that the full parser reads from the frontmatter. */
export function compareFields(fields: Readonly<Record<string, unknown>>, skill: SkillMetadata): FieldDifference[] {
  const expected = new Map<string, unknown>([
    ['name', expectedName(fields, skill)],
    ['tags', expectedTags(fields)],
  ]);
  const extra = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields)) {
    const known = FIELDS.get(spelling(key));
    if (known !== undefined) expected.set(known[0], known[1](value));
    else if (!TAG_KEYS.has(spelling(key)) && !LEFT_ALONE.has(spelling(key))) extra.set(key, value);
  }
  // The library takes a missing description from the body, which the parser does not see.
  if (expected.get('description') === undefined) expected.delete('description');
  const differences: FieldDifference[] = [];
  for (const [field, value] of expected) {
    const actual = skill[field as keyof SkillMetadata];
    if (value !== SKIP && !isDeepStrictEqual(plain(value), plain(actual)))
      differences.push({ field, expected: value, actual });
  }
  for (const [key, value] of extra) {
    const actual = skill.extra !== undefined && Object.hasOwn(skill.extra, key) ? skill.extra[key] : undefined;
    if (!isDeepStrictEqual(plain(value), plain(actual)))
      differences.push({ field: `extra.${key}`, expected: value, actual });
  }
  return differences;
}

/** A copy in which only the content counts. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function expectedName(fields: Readonly<Record<string, unknown>>, skill: SkillMetadata): unknown {
  if (skill.pluginName !== undefined) return `${skill.pluginName}:${skill.directoryName}`;
  const written = Object.entries(fields).findLast(([key]) => spelling(key) === 'name')?.[1];
  if (typeof written === 'number') return SKIP;
  const name = typeof written === 'string' || typeof written === 'boolean' ? String(written).trim() : '';
  return name === '' || /[:\p{Cc}]/u.test(name) ? skill.directoryName : name;
}

function expectedTags(fields: Readonly<Record<string, unknown>>): unknown {
  const parts = Object.entries(fields).flatMap(([key, value]) =>
    TAG_KEYS.has(spelling(key)) ? [list(/,/)(value)] : [],
  );
  if (parts.includes(SKIP)) return SKIP;
  const tags = [...new Set(parts.flatMap((part) => (part ?? []) as string[]))];
  return tags.length === 0 ? undefined : tags;
}
