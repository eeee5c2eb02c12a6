import type { AssistantTurn, WireBody } from '../../spec/wire.ts';
import type { KeptAnswer, KeptName } from '../../spec/formats/proxy-format.ts';
import { isRecord, isGiven, listOf, recordsOf, stringOf } from '../json/json-text.ts';
import { isHiddenItem } from './patch.ts';

/** Items that say everything themselves: what is called and answered by the client. */
const CLIENTS_CALLS: ReadonlySet<unknown> = new Set([
  'functioncall',
  'customtoolcall',
  'computercall',
  'localshellcall',
  'shellcall',
  'applypatchcall',
]);

/** Items that say everything themselves if they have one of these fields. */
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

/** Takes a value in a place where an id belongs. */
type OnName = (kind: KeptName['kind'], value: unknown) => void;

/**
 * What a request names by an id alone, each name once. Providers differ in how they read keys, and some take the fields of
 * `extra_body` for the request's own: what any of them may take for a name is one here. Each value is looked at a fixed
 * number of times, however deep it lies: a client may nest `extra_body` hundreds of times.
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

/** What the provider made for a turn and may be named later. */
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

/** What is an object without an id names nothing that could be found. */
function idOfConversation(value: unknown): readonly unknown[] {
  return isRecord(value) ? (foldedFields(value).get('id') ?? [NO_TEXT]) : [value];
}

const NO_TEXT = 0;

/** Some providers take one item for a list of one. A list in a list is not an item, but somebody may take it for its items. */
function findInItems(value: unknown, onName: OnName): void {
  if (Array.isArray(value)) for (const item of value) findInItems(item, onName);
  if (!isRecord(value)) return;
  const fields = foldedFields(value);
  if (!isWhole(fields)) for (const id of fields.get('id') ?? []) onName('item', id);
  for (const id of fields.get('approvalrequestid') ?? []) onName('item', id);
  for (const field of ['content', 'output']) for (const inner of fields.get(field) ?? []) findReferences(inner, onName);
}

/** Without a type, an item with a role is a message, and any other nothing but the id of one. */
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

/** No provider is known to look for references there. One that does is to find none of others. */
function findReferences(value: unknown, onName: OnName): void {
  if (Array.isArray(value)) for (const inner of value) findReferences(inner, onName);
  if (!isRecord(value)) return;
  const fields = foldedFields(value);
  if (fields.get('type')?.some((type) => foldedType(type) === 'itemreference') === true)
    for (const id of fields.get('id') ?? []) onName('item', id);
  for (const inner of Object.values(value)) findReferences(inner, onName);
}

/** Fields whose keys and values are the client's own or the model's, and never a provider's. */
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

/** Where hosted tools run, if they are to run where another answer's did: new kinds of items and tools say it in new places. */
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

/** One without an id is to be made. */
function idOfContainer(container: unknown): readonly unknown[] {
  return isRecord(container) ? (foldedFields(container).get('id') ?? []) : [container];
}

/** Some providers take one container for a list of one. */
function oneOrMore(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** What a response repeats of a request, for showing it to the client again; `undefined` where none is stored. */
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

/** The values of an object by their keys as the most forgiving reader takes them. */
type FoldedFields = ReadonlyMap<string, readonly unknown[]>;

/** Keys of small letters fold to themselves: nearly all do. */
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
 * A key without what some readers of JSON ignore: capitals, with the two letters beyond ASCII that are small ones of ASCII
 * elsewhere, what comes after a NUL, and the marks between words.
 */
function folded(key: string): string {
  const [start = ''] = key.split('\0', 1);
  return start
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
