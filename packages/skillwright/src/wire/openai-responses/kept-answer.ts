import type { AssistantTurn, WireBody } from '../../spec/wire.ts';
import type { KeptAnswer, KeptName } from '../../spec/formats/proxy-format.ts';
import { isRecord, isGiven, listOf, recordsOf, stringOf } from '../json/json-text.ts';
import { isHiddenItem } from './patch.ts';

/** Items that are complete without stored data: the client's calls and their outputs. */
const CLIENTS_CALLS: ReadonlySet<unknown> = new Set([
  'functioncall',
  'customtoolcall',
  'computercall',
  'localshellcall',
  'shellcall',
  'applypatchcall',
]);

/** Items that are complete without stored data if one of these fields is not empty. */
const WHOLE_WITH: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['message', ['content']],
  ['reasoning', ['encryptedcontent', 'content']],
  ['compaction', ['encryptedcontent']],
]);

export const keptAnswer: KeptAnswer = {
  idIn: (body) => stringOf(body.previous_response_id),
  replace: (body, id) => ({ ...body, previous_response_id: id }),
  namesIn,
  namesMade,
  repeated,
  visibleInput,
};

/** Called with each value that stands where a request has an id. */
type OnName = (kind: KeptName['kind'], value: unknown) => void;

/**
 * Everything that a request refers to by id, each name once. Providers differ in how they read keys, and some treat the
 * fields of `extra_body` as the request's own, so this counts everything that any provider might read as a reference.
 * Visits each value a fixed number of times, at any depth, because a client may nest `extra_body` hundreds of levels
 * deep.
 */
function namesIn(body: WireBody): readonly KeptName[] {
  const found = new Map<string, KeptName>();
  const onName: OnName = (kind, value) => {
    if (!isGiven(value) || value === '') return;
    const id = typeof value === 'string' ? value : undefined;
    found.set(id === undefined ? kind : `${kind} ${id}`, { kind, id });
  };
  findInFields(body, onName);
  findContainers(body, onName);
  return [...found.values()];
}

function findInFields(body: WireBody, onName: OnName): void {
  const fields = foldedFields(body);
  for (const id of fields.get('previousresponseid') ?? []) onName('response', id);
  for (const value of fields.get('conversation') ?? [])
    for (const id of idOfConversation(value)) onName('conversation', id);
  for (const field of ['input', 'items', 'instructions'])
    for (const list of fields.get(field) ?? []) findInItems(list, onName);
  for (const extra of fields.get('extrabody') ?? []) if (isRecord(extra)) findInFields(extra, onName);
}

/** The ids of the objects that the provider created for a turn. Later requests may refer to them. */
function namesMade({ echo }: AssistantTurn): readonly KeptName[] {
  return recordsOf(echo).flatMap(({ id, container_id: container, environment, content }) => {
    const cited = recordsOf(content).flatMap(({ annotations }) => recordsOf(annotations));
    const places = [environment, ...cited].map((place) => (isRecord(place) ? place['container_id'] : undefined));
    return [...named('item', [id]), ...named('container', [container, ...places])];
  });
}

function named(kind: KeptName['kind'], values: readonly unknown[] | undefined): readonly KeptName[] {
  const given = values?.filter((value) => isGiven(value) && value !== '') ?? [];
  return given.map((value) => ({ kind, id: typeof value === 'string' ? value : undefined }));
}

/**
 * The id that a request's conversation names. An object without an id gets a placeholder that matches no stored
 * conversation.
 */
function idOfConversation(value: unknown): readonly unknown[] {
  return isRecord(value) ? (foldedFields(value).get('id') ?? [NO_TEXT]) : [value];
}

const NO_TEXT = 0;

/**
 * Finds references in the items of a request. Some providers accept a single item instead of a list. Also searches
 * nested lists, because a provider might flatten them.
 */
function findInItems(value: unknown, onName: OnName): void {
  if (Array.isArray(value)) for (const item of value) findInItems(item, onName);
  if (!isRecord(value)) return;
  const fields = foldedFields(value);
  if (!isWhole(fields)) for (const id of fields.get('id') ?? []) onName('item', id);
  for (const id of fields.get('approvalrequestid') ?? []) onName('item', id);
  for (const field of ['content', 'output']) for (const inner of fields.get(field) ?? []) findReferences(inner, onName);
}

/**
 * Whether an item is complete without stored data. An item without a `type` counts as a message if it has a `role`, and
 * otherwise as a reference.
 */
function isWhole(fields: FoldedFields): boolean {
  const types = (fields.get('type') ?? []).filter((type) => type !== null);
  const kinds = types.length > 0 ? types.map(foldedType) : [fields.has('role') ? 'message' : undefined];
  return kinds.every((type) => {
    if (CLIENTS_CALLS.has(type) || type?.endsWith('output') === true) return true;
    return (WHOLE_WITH.get(type) ?? []).some((field) => (fields.get(field) ?? []).some(hasWords));
  });
}

function hasWords(value: unknown): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
}

function foldedType(type: unknown): string | undefined {
  return typeof type === 'string' ? type.toLowerCase().replaceAll(/[^a-z]/g, '') : undefined;
}

/**
 * Finds references inside an item's content or output. Known providers do not look there; the search protects other
 * callers' items from a provider that does.
 */
function findReferences(value: unknown, onName: OnName): void {
  if (Array.isArray(value)) for (const inner of value) findReferences(inner, onName);
  if (!isRecord(value)) return;
  const fields = foldedFields(value);
  if (fields.get('type')?.some((type) => foldedType(type) === 'itemreference') === true)
    for (const id of fields.get('id') ?? []) onName('item', id);
  for (const inner of Object.values(value)) findReferences(inner, onName);
}

/** Fields whose keys and values come from the client or the model, never from the provider. */
const FREE: ReadonlySet<string> = new Set([
  'arguments',
  'env',
  'headers',
  'inputschema',
  'metadata',
  'outputschema',
  'parameters',
  'schema',
  'variables',
]);

/**
 * Finds references to the containers that hosted tools run in. Searches at every depth, because new kinds of items and
 * tools put them in new places.
 */
function findContainers(value: unknown, onName: OnName): void {
  if (Array.isArray(value)) for (const inner of value) findContainers(inner, onName);
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    const field = foldedKey(key);
    if (FREE.has(field)) continue;
    const inner = value[key];
    if (field === 'containerid') {
      onName('container', inner);
      continue;
    }
    if (field === 'container')
      for (const one of oneOrMore(inner)) for (const id of idOfContainer(one)) onName('container', id);
    findContainers(inner, onName);
  }
}

/** A container without an id does not exist yet: the provider will create it. */
function idOfContainer(container: unknown): readonly unknown[] {
  return isRecord(container) ? (foldedFields(container).get('id') ?? []) : [container];
}

/** Some providers accept a single container instead of a list. */
function oneOrMore(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/**
 * The parts of a request that its response repeats, for showing it to the client again; `undefined` if the response is
 * not stored.
 */
function repeated(body: WireBody): WireBody | undefined {
  const { instructions, previous_response_id: previous, tool_choice: choice, include, reasoning, store, text } = body;
  if (store === false) return undefined;
  return { instructions, previous_response_id: previous, tool_choice: choice, include, reasoning, text };
}

/** A list of items without calls of hidden tools and their outputs. */
function visibleInput(list: WireBody, isHidden: (toolName: string) => boolean): WireBody {
  const items = listOf(list.data);
  const calls = items.filter((item) => isHiddenItem(item, isHidden));
  if (calls.length === 0) return list;
  const hidden = new Set(recordsOf(calls).map(({ call_id: id }) => id));
  const data = items.filter((item) => !(isRecord(item) && hidden.has(item.call_id)));
  const ids = recordsOf(data).map(({ id }) => stringOf(id) ?? null);
  return { ...list, data, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null };
}

/** An object's values by folded key. Several keys can fold to the same one. */
type FoldedFields = ReadonlyMap<string, readonly unknown[]>;

/** Matches keys that fold to themselves. Nearly all keys do. */
const PLAIN = /^[a-z]+$/;

function foldedFields(value: WireBody): FoldedFields {
  const fields = new Map<string, unknown[]>();
  for (const key of Object.keys(value)) {
    const field = foldedKey(key);
    const known = fields.get(field);
    if (known === undefined) fields.set(field, [value[key]]);
    else known.push(value[key]);
  }
  return fields;
}

function foldedKey(key: string): string {
  return PLAIN.test(key) ? key : folded(key);
}

/**
 * A key without the differences that some JSON parsers ignore: case, including the two letters beyond ASCII whose
 * lowercase is ASCII, everything after a NUL, and separators between words.
 */
function folded(key: string): string {
  const [start = ''] = key.split('\0', 1);
  return start
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
