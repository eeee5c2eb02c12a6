import { isJsonObject, type JsonPath } from '../json/json-source.ts';

/** A list of queries somewhere in a set, and what its name says about them. */
export interface TriggerList {
  readonly at: JsonPath;
  readonly items: readonly unknown[];
  /** Whether its name says that the queries should trigger the skill; `undefined` where it says nothing. */
  readonly shouldTrigger: boolean | undefined;
  /** Whether a plain text in it is a query. */
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
/** Objects that hold the lists, beside what else a file may be about. */
const SECTION_NAMES: ReadonlySet<string> = new Set([
  'activation',
  'eval',
  'evals',
  'trigger',
  'triggereval',
  'triggerevals',
  'triggers',
]);

/**
 * Finds the queries of a set in the shapes that people write: an array of cases; an object that holds one, such as
 * `evals` or `cases`; lists by outcome, such as `should_trigger` and `should_not_trigger`; a single case.
 */
export function findTriggerLists(value: unknown): readonly TriggerList[] {
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

/** What the name of a list or of a kind of case says: `should_not_trigger`, `near-miss`, `Positive`. */
export function outcomeOf(name: string): boolean | undefined {
  const plain = plainName(name);
  if (NEGATIVE_NAME.test(plain)) return false;
  return POSITIVE_NAME.test(plain) ? true : undefined;
}

/** `should_trigger`, `shouldTrigger` and `should-trigger` are one name. */
function plainName(key: string): string {
  return key
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

/** The first of these names, in this order, that the object has, with the value under it. */
export function fieldOf(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): { readonly key: string; readonly value: unknown } | undefined {
  const keys = new Map(Object.keys(value).map((key) => [plainName(key), key]));
  const key = names.map((name) => keys.get(name)).find((found) => found !== undefined);
  return key === undefined ? undefined : { key, value: value[key] };
}
