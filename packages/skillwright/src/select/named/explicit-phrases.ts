import type { FindNamed } from './explicit-command.ts';
import { isRefused } from './explicit-refusal.ts';
import { toProse } from './explicit-text.ts';

/** A skill that a text names as something to use, or not to use. */
export interface Mention {
  readonly name: string;
  /** What stands after it. */
  readonly rest: string;
  readonly isRefused: boolean;
}

const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_:.-]{0,127}`;
const VERB = String.raw`\b(?:use|using|invoke|apply|activate|run|load|try)`;
const QUOTE = '["\'“”‘’`]?';
const OWNER = '(?:the |my |your |our )?';
const NAME = String.raw`${QUOTE}(${WORD}(?: ${WORD}){0,4}?)${QUOTE}`;
const END = String.raw`(?![\p{L}\p{N}_-])`;

/** "use the name skill", "invoke skill name"; "… and the other skill" after one of them; "use name to …". */
const ONE_NAME = [
  new RegExp(String.raw`${VERB} ${OWNER}(?:skill ${NAME}|${NAME} skill)${END}`, 'giu'),
  new RegExp(String.raw`(?<=\bskill),? and ${OWNER}${NAME} skill${END}`, 'giu'),
  new RegExp(String.raw`\buse (?:the )?${NAME} to (?=\S)`, 'giu'),
];
/** "use the one and other skills" */
const SEVERAL_NAMES = new RegExp(String.raw`${VERB} ${OWNER}([^.;!?\u2029]{1,200}?) skills${END}`, 'giu');
/** "run my-name" */
const PLAIN_NAME = new RegExp(String.raw`${VERB} ${OWNER}${QUOTE}(${WORD})${QUOTE}(?=$|[\s,;!?)])`, 'giu');
const NEXT_NAME = new RegExp(String.raw`(?:,? and |, | & )(?:the )?${QUOTE}(${WORD})${QUOTE}(?=$|[\s,;!?)])`, 'iuy');
/** "without my-name", "instead of the name skill" */
const REFUSED_NAME = new RegExp(
  String.raw`\b(?:without|avoid|instead of|rather than|not|skip|ignore)(?: using| use)? ${OWNER}${QUOTE}(${WORD})${QUOTE}( skills?\b)?`,
  'giu',
);

/** The skills that a text names after a word such as "use", in the order of the text within each way to say it. */
export function phraseMentions(text: string, find: FindNamed): Mention[] {
  const prose = toProse(text);
  const mention = (name: string, index: number, end: number): Mention[] =>
    find(name) === undefined ? [] : [{ name, rest: prose.slice(end), isRefused: isRefused(prose, index) }];
  const single = ONE_NAME.flatMap((pattern) =>
    [...prose.matchAll(pattern)].flatMap(({ 0: whole, 1: first, 2: second, index }) =>
      mention(first ?? second ?? '', index, index + whole.length),
    ),
  );
  const several = [...prose.matchAll(SEVERAL_NAMES)].flatMap(({ 0: whole, 1: names = '', index }) =>
    splitNames(names).flatMap((name) => mention(name, index, index + whole.length)),
  );
  const plain = [...prose.matchAll(PLAIN_NAME)].flatMap(({ 0: whole, 1: name = '', index }) =>
    plainNames(prose, trimEnd(name), index, index + whole.length).flatMap(({ name: each, end }) =>
      mention(each, index, end),
    ),
  );
  return [...single, ...several, ...plain];
}

/** The skills that a text names after a word such as "without". */
export function refusedMentions(text: string, find: FindNamed): Pick<Mention, 'name'>[] {
  return [...toProse(text).matchAll(REFUSED_NAME)].flatMap(({ 1: written = '', 2: skill }) => {
    const name = trimEnd(written);
    return (skill !== undefined || isIdentifier(name)) && find(name) !== undefined ? [{ name }] : [];
  });
}

function splitNames(names: string): string[] {
  return names
    .split(/,| and | & /i)
    .map((name) => name.replace(/^ *(?:and |the )*["'“”‘’`]?|["'“”‘’`]? *$/giu, ''))
    .filter((name) => name !== '');
}

interface PlainName {
  readonly name: string;
  readonly end: number;
}

/** The name after the verb, and those that follow. A word of the language counts only as all that an order says. */
function plainNames(prose: string, first: string, start: number, end: number): PlainName[] {
  if (!isIdentifier(first)) return isWholeOrder(prose, start, end) ? [{ name: first, end }] : [];
  const names: PlainName[] = [{ name: first, end }];
  NEXT_NAME.lastIndex = end;
  for (let next = NEXT_NAME.exec(prose); next !== null; next = NEXT_NAME.exec(prose)) {
    const name = trimEnd(next[1] ?? '');
    if (!isIdentifier(name)) break;
    names.push({ name, end: NEXT_NAME.lastIndex });
  }
  const last = names.at(-1)?.end ?? end;
  return names.map(({ name }) => ({ name, end: last }));
}

/** Nobody writes `git-commit` and means something else by it. */
function isIdentifier(name: string): boolean {
  return /[\p{L}\p{N}][-_:][\p{L}\p{N}]/u.test(name);
}

const ORDER_START = /(?:^|[.;!?\u2029])\s*(?:(?:please|now|just|then|(?:can|could|would) you)[ ,]*)*$/iu;
const ORDER_END = /^\s*(?:(?:please|now)\s*)?(?:[.;!?\u2029]|$)/iu;

function isWholeOrder(prose: string, start: number, end: number): boolean {
  return ORDER_START.test(prose.slice(Math.max(0, start - 60), start)) && ORDER_END.test(prose.slice(end, end + 20));
}

function trimEnd(name: string): string {
  return name.replace(/[.:-]+$/, '');
}
