import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ENTRIES, entryPath } from './public-entries.ts';

export type NameKind = 'class' | 'const' | 'function' | 'type';

/** A name that an entry of a package exports. */
export interface PublicName {
  readonly entry: string;
  readonly kind: NameKind;
  readonly name: string;
  /** The source that declares it, relative to the repository. */
  readonly source: string;
  /** The comment on its declaration, in one line; `''` when there is none. */
  readonly comment: string;
}

const EXPORT = /^export (type )?\{([^}]*)\} from '([^']*)';/gm;
const DECLARATION =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:abstract )?(?:async )?(function|const|class|interface|type) (\w+)\b/gm;

const RENAMED = /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export \{ (\w+) as (\w+) \};/gm;

/** Every name of every entry, in the order of the entries and then by name. */
export function readPublicNames(): PublicName[] {
  return Object.entries(ENTRIES).flatMap(([entry, source]) =>
    namesOf(source)
      .map((found) => ({ entry, ...found }))
      .sort((one, other) => compare(one.name, other.name)),
  );
}

/** The comment at the top of an entry, after the entry's name: a sentence about its purpose. */
export function purposeOf(entry: string): string {
  const [, purpose = ''] = /^\/\/ `[^`]*`: (.*)$/m.exec(readSource(ENTRIES[entry] ?? '')) ?? [];
  return purpose.charAt(0).toUpperCase() + purpose.slice(1);
}

/** The checked-in list, with one `entry kind name` per line. */
export function renderPublicNames(): string {
  return readPublicNames()
    .map(({ entry, kind, name }) => `${entry} ${kind} ${name}\n`)
    .join('');
}

type Declared = Omit<PublicName, 'entry'>;

/** The exports of a file: its own declarations and its re-exports. */
function namesOf(source: string): Declared[] {
  const text = readSource(source);
  const own = [...text.matchAll(DECLARATION)].map(([, comment = '', keyword = '', name = '']) => ({
    kind: kindOf(keyword),
    name,
    source,
    comment: oneLine(comment),
  }));
  // An export of the same declaration under another name.
  const renamed = [...text.matchAll(RENAMED)].map(([, comment = '', name = '', other = '']) => {
    const kind = own.find((found) => found.name === name)?.kind ?? 'type';
    return { kind, name: other, source, comment: oneLine(comment) };
  });
  const handedOn = [...text.matchAll(EXPORT)].flatMap(([, types, list = '', from = '']) => {
    const declared = new Map(namesOf(posix.join(posix.dirname(source), from)).map((found) => [found.name, found]));
    return list
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) =>
        handOn(item.replace(/^type /, ''), types !== undefined || item.startsWith('type '), declared, from),
      );
  });
  return [...own, ...renamed, ...handedOn];
}

/** `name` or `name as other`. A class that is exported as a type counts as a type. */
function handOn(item: string, isType: boolean, declared: ReadonlyMap<string, Declared>, from: string): Declared {
  const [name = '', other = name] = item.split(' as ');
  const found = declared.get(name);
  if (found === undefined) throw new Error(`${from} does not declare ${name} in a way that is understood here.`);
  return { ...found, name: other, kind: isType ? 'type' : found.kind };
}

function kindOf(keyword: string): NameKind {
  return keyword === 'function' || keyword === 'const' || keyword === 'class' ? keyword : 'type';
}

function oneLine(comment: string): string {
  return comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function readSource(source: string): string {
  return readFileSync(entryPath(source), 'utf8');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
