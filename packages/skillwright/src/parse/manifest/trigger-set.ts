import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { isJsonObject, type JsonPath, type ParsedJson, parseJson } from '../json/json-source.ts';
import { shown } from '../shown-value.ts';
import { brokenJson, createManifestReport } from './manifest-fields.ts';

/** A list of queries in a set, and what the list's name says about the queries. */
interface TriggerList {
  readonly at: JsonPath;
  readonly items: readonly unknown[];
  /**
   * Whether the queries should trigger the skill, according to the list's name; `undefined` if the name does not say.
   */
  readonly shouldTrigger: boolean | undefined;
  /** Whether a plain text in the list is a query. */
  readonly takesText: boolean;
}

const LIST_NAMES: ReadonlySet<string> = new Set(
  'cases direct evals evaluations examples explicit implicit indirect inferred items prompts queries testcases tests triggercases triggerevals triggers'.split(
    ' ',
  ),
);
const NEGATIVE_NAME =
  /^(?:should(?:not|nt)(?:trigger|activate)?|not?trigger|negatives?(?:triggers?|prompts?|cases?|queries|controls?|examples?)?|near(?:miss(?:es)?|negatives?)|distractors?)$/;
const POSITIVE_NAME =
  /^(?:should(?:trigger|activate)(?:explicit|implicit|inferred|direct|indirect)?|positives?(?:triggers?|prompts?|cases?|queries|examples?)?|trigger)$/;
/** Names of objects that may hold the lists of queries, whatever else the file contains. */
const SECTION_NAMES: ReadonlySet<string> = new Set([
  'activation',
  'eval',
  'evals',
  'trigger',
  'triggereval',
  'triggerevals',
  'triggers',
]);

/** A user request, and whether a skill should respond to it. */
export interface TriggerCase {
  readonly query: string;
  readonly shouldTrigger: boolean;
  /** The skill that the case names; `undefined` means the set's own skill. */
  readonly skill: string | undefined;
  readonly line: number | undefined;
}

export interface ParsedTriggerSet {
  /** The set's own skill, as named in the file. */
  readonly skill: string | undefined;
  readonly cases: readonly TriggerCase[];
  readonly diagnostics: readonly Diagnostic[];
}

const QUERY_NAMES = 'query prompt input userprompt userquery request message task text question trigger'.split(' ');
const OUTCOME_NAMES = 'shouldtrigger expecttrigger expectedtrigger shouldactivate expectactivation trigger'.split(' ');
const KIND_NAMES = ['type', 'kind', 'category', 'label', 'expected'];
const EXPECTED_NAMES = ['expectedskill', 'expectskill'];
const SKILL_NAMES = ['skillname', 'skill'];
const SPOKEN_OUTCOMES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

/**
 * Reads a trigger set. Never throws: a text that is not a trigger set returns no cases and a diagnostic that says why,
 * and an unusable case is skipped with a diagnostic. By default, a case should trigger its skill.
 */
export function parseTriggerSet(text: string, path: string): ParsedTriggerSet {
  const source = parseJson(text);
  if (!source.ok)
    return { skill: undefined, cases: [], diagnostics: [brokenJson('trigger-set-invalid', source, { path })] };
  const { value } = source;
  const skill = nameOf(isJsonObject(value) ? fieldOf(value, SKILL_NAMES)?.value : undefined);
  const lists = listsOrSingle(value);
  const reads = lists.flatMap((list) =>
    list.items.map((item, index) => readItem(item, list, [...list.at, index], source)),
  );
  const cases = reads.flatMap((read) => ('cases' in read ? read.cases : []));
  const whole = cases.length > 0 ? undefined : unusable(value, lists, path);
  if (whole?.code === 'trigger-set-foreign') return { skill, cases, diagnostics: [whole] };
  const report = createManifestReport(source, { path });
  for (const read of reads)
    if ('problem' in read) report.add('trigger-case', read.at, `${read.problem}; the case is skipped.`);
  return { skill, cases, diagnostics: [...(whole === undefined ? [] : [whole]), ...report.diagnostics()] };
}

type ReadItem = { readonly cases: readonly TriggerCase[] } | { readonly problem: string; readonly at: JsonPath };

function listsOrSingle(value: unknown): readonly TriggerList[] {
  const lists = findTriggerLists(value);
  if (lists.length > 0 || !isJsonObject(value) || typeof fieldOf(value, QUERY_NAMES)?.value !== 'string') return lists;
  return [{ at: [], items: [value], shouldTrigger: undefined, takesText: false }];
}

function readItem(item: unknown, list: TriggerList, at: JsonPath, source: ParsedJson): ReadItem {
  const line = source.lineOf(at) ?? 1;
  if (typeof item === 'string' && list.takesText) {
    if (item.trim() === '') return { problem: 'A query is empty', at };
    return { cases: [{ query: item, shouldTrigger: list.shouldTrigger ?? true, skill: undefined, line }] };
  }
  if (!isJsonObject(item)) return { problem: `A case must be an object with a query, not ${shown(item)}`, at };
  const query = fieldOf(item, QUERY_NAMES)?.value;
  if (query === undefined) return { problem: 'A case has no query', at };
  if (typeof query !== 'string') return { problem: `A query must be text, not ${shown(query)}`, at };
  if (query.trim() === '') return { problem: 'A query is empty', at };
  const outcome = readOutcome(item);
  if (outcome !== undefined && typeof outcome !== 'boolean') return { problem: outcome.problem, at };
  const wanted = wantedSkills(item, outcome ?? list.shouldTrigger);
  return { cases: wanted.map((expectation) => ({ query, ...expectation, line })) };
}

/** The outcome that a case itself states; `undefined` if it states no outcome. */
function readOutcome(item: Readonly<Record<string, unknown>>): boolean | { readonly problem: string } | undefined {
  const field = fieldOf(item, OUTCOME_NAMES);
  if (field !== undefined && field.value !== null && !isQueryField(item, field.key)) {
    const { key, value } = field;
    const spoken = typeof value === 'string' ? SPOKEN_OUTCOMES.get(value.trim().toLowerCase()) : value;
    if (typeof spoken === 'boolean') return spoken;
    return { problem: `${shown(key)} must be true or false, not ${shown(value)}` };
  }
  const kinds = KIND_NAMES.map((name) => fieldOf(item, [name])?.value);
  const outcomes = kinds.map((kind) =>
    typeof kind === 'boolean' ? kind : typeof kind === 'string' ? outcomeOf(kind) : undefined,
  );
  return outcomes.find((outcome) => outcome !== undefined);
}

/** Some authors name the field for the query `trigger`, which is also a name for the outcome. */
function isQueryField(item: Readonly<Record<string, unknown>>, key: string): boolean {
  return fieldOf(item, QUERY_NAMES)?.key === key;
}

/**
 * Which skills a case is about. `expected_skill` is the skill that should respond; `null` or `none` means that no skill
 * should. If a case has both `expected_skill` and `should_trigger: false`, the named skill should respond and the set's
 * own skill should not.
 */
function wantedSkills(
  item: Readonly<Record<string, unknown>>,
  outcome: boolean | undefined,
): Pick<TriggerCase, 'skill' | 'shouldTrigger'>[] {
  const expected = fieldOf(item, EXPECTED_NAMES)?.value;
  const name = nameOf(expected);
  const isNone = expected === null || (typeof expected === 'string' && name === undefined);
  const shouldTrigger = outcome ?? !isNone;
  if (name !== undefined) {
    const others = shouldTrigger ? [] : [{ skill: undefined, shouldTrigger }];
    return [{ skill: name, shouldTrigger: true }, ...others];
  }
  const own = nameOf(fieldOf(item, SKILL_NAMES)?.value);
  if (own !== undefined) return [{ skill: own, shouldTrigger }];
  const listed = fieldOf(item, ['skills', 'expectedskills'])?.value;
  const names = (Array.isArray(listed) ? (listed as unknown[]) : []).flatMap((entry) => nameOf(entry) ?? []);
  return (names.length > 0 ? [...new Set(names)] : [undefined]).map((skill) => ({ skill, shouldTrigger }));
}

function nameOf(value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim() : '';
  return name === '' || name.toLowerCase() === 'none' ? undefined : name;
}

/** Reports a file without any case: it is either a broken trigger set or a different kind of file. */
function unusable(value: unknown, lists: readonly TriggerList[], path: string): Diagnostic {
  const items = lists.flatMap((list) => list.items);
  const isMeant = items.some(
    (item) => isJsonObject(item) && fieldOf(item, [...QUERY_NAMES, ...OUTCOME_NAMES]) !== undefined,
  );
  if (isMeant)
    return createDiagnostic('trigger-set-invalid', { path, message: `None of its ${items.length} cases is valid.` });
  const message =
    items.length > 0
      ? 'None of its entries has a query.'
      : `It contains ${Array.isArray(value) ? 'an empty array' : shown(value)}.`;
  return createDiagnostic('trigger-set-foreign', { path, message });
}

/**
 * Finds the queries of a set in the common shapes: an array of cases; an object that contains one, such as `evals` or
 * `cases`; lists by outcome, such as `should_trigger` and `should_not_trigger`; a single case.
 */
function findTriggerLists(value: unknown): readonly TriggerList[] {
  if (Array.isArray(value)) return [{ at: [], items: value, shouldTrigger: undefined, takesText: false }];
  if (!isJsonObject(value)) return [];
  const lists = listsOf(value, []);
  if (lists.length > 0) return lists;
  const sections = Object.entries(value).filter(([key]) => SECTION_NAMES.has(plainName(key)));
  return sections.flatMap(([key, section]) => (isJsonObject(section) ? listsOf(section, [key]) : []));
}

function listsOf(value: Readonly<Record<string, unknown>>, around: JsonPath): TriggerList[] {
  return Object.entries(value).flatMap(([key, items]) => {
    if (!Array.isArray(items)) return [];
    const name = plainName(key);
    const shouldTrigger = outcomeOf(name);
    if (shouldTrigger === undefined && !LIST_NAMES.has(name)) return [];
    return [{ at: [...around, key], items: items as unknown[], shouldTrigger, takesText: true }];
  });
}

/** The outcome that the name of a list or of a kind of case states: `should_not_trigger`, `near-miss`, `Positive`. */
function outcomeOf(name: string): boolean | undefined {
  const plain = plainName(name);
  if (NEGATIVE_NAME.test(plain)) return false;
  return POSITIVE_NAME.test(plain) ? true : undefined;
}

/** Normalizes a name: `should_trigger`, `shouldTrigger` and `should-trigger` become equal. */
function plainName(key: string): string {
  return key
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

/** The first of `names` that the object has, in any spelling, with its value. */
function fieldOf(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): { readonly key: string; readonly value: unknown } | undefined {
  const keys = new Map(Object.keys(value).map((key) => [plainName(key), key]));
  const key = names.map((name) => keys.get(name)).find((found) => found !== undefined);
  return key === undefined ? undefined : { key, value: value[key] };
}
