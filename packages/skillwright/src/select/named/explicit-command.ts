import { type Mention, phraseMentions, refusedMentions } from './explicit-phrases.ts';
import { isRefused, mayRefuse } from './explicit-refusal.ts';
import { withoutCodeBlocks, withoutInlineCode } from './explicit-text.ts';

/** A skill that somebody asks for by name. */
export interface ExplicitCommand {
  /** The name as written. */
  readonly name: string;
  /** What stands after it, for the skill. */
  readonly arguments: string;
  /** The form in which the user named it. */
  readonly form: 'slash' | 'dollar' | 'phrase' | 'name';
}

/** Whether a name is that of a skill, under any common spelling; answers something that is the same for the same skill. */
export type FindNamed = (name: string) => unknown;

/** How much of a message is searched for commands in its midst. */
const MAX_SEARCHED = 16_384;
const MAX_COMMANDS = 8;

const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_:.-]{0,127}`;
const SLASH = new RegExp(String.raw`^\s*/(${WORD})(?=\s|$)`, 'u');
const BARE = new RegExp(String.raw`^${WORD}(?:[ /]${WORD}){0,4}$`, 'u');
const DOLLAR = new RegExp(String.raw`(?<=^|[\s("'“])\$(${WORD})(?=$|[\s)"'”,;!?])`, 'gu');
const LEADING_WORD = /^\s*(?:(?:to|on|for|with|and)\s+|[:,;–—-]\s*)/iu;

/**
 * The skills that a message asks for: `/name arguments` at its start, `$name` anywhere, "use the name skill", "use name
 * to …", "run my-name", "use the one and other skills", or nothing but a name. Only names that `find` knows count, so
 * that `/usr/bin`, `$HOME` and prose are what they are; code in the message and what it says not to use are passed over.
 */
export function findExplicitCommands(message: string, find: FindNamed): ExplicitCommand[] {
  const slash = slashCommand(message, find);
  if (slash !== undefined) return [slash];
  const bare = message.trim();
  if (BARE.test(bare) && find(bare) !== undefined) return [{ name: bare, arguments: '', form: 'name' }];
  const text = withoutCodeBlocks(message.slice(0, MAX_SEARCHED));
  const phrases = phraseMentions(text, find).filter((mention) => !mention.isRefused);
  return distinct([...dollarCommands(text, find), ...phrases.map(phraseCommand)], find).slice(0, MAX_COMMANDS);
}

/** The names of skills that a message says not to use: "don't use pdf-forms", "without the pdf skill". */
export function findRefusedNames(message: string, find: FindNamed): string[] {
  const text = withoutCodeBlocks(message.slice(0, MAX_SEARCHED));
  if (!mayRefuse(text)) return [];
  const refused = [
    ...phraseMentions(text, find).filter((mention) => mention.isRefused),
    ...refusedMentions(text, find),
  ];
  const wanted = new Set(findExplicitCommands(message, find).map(({ name }) => find(name)));
  return [...new Set(refused.map(({ name }) => name))].filter((name) => !wanted.has(find(name)));
}

function slashCommand(message: string, find: FindNamed): ExplicitCommand | undefined {
  const [start, name = ''] = SLASH.exec(message) ?? [];
  if (start === undefined) return undefined;
  const known = [name, name.replace(/[.:-]+$/, '')].find((spelling) => find(spelling) !== undefined);
  return known === undefined
    ? undefined
    : { name: known, arguments: message.slice(start.length).trim(), form: 'slash' };
}

/** `$25`, `$HOME` and `${x}` are not commands, whatever skills exist. */
function dollarCommands(text: string, find: FindNamed): ExplicitCommand[] {
  return [...withoutInlineCode(text).matchAll(DOLLAR)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const name = written.replace(/[.:-]+$/, '');
    if (!/\p{Ll}|\p{Lo}/u.test(name) || find(name) === undefined || isRefused(text, index)) return [];
    const isFirst = text.slice(0, index).trim() === '';
    return [{ name, arguments: isFirst ? text.slice(index + whole.length).trim() : '', form: 'dollar' as const }];
  });
}

function phraseCommand({ name, rest }: Mention): ExplicitCommand {
  return { name, arguments: rest.replace(LEADING_WORD, '').trim(), form: 'phrase' };
}

/** The first command for each skill. */
function distinct(commands: readonly ExplicitCommand[], find: FindNamed): ExplicitCommand[] {
  const seen = new Set<unknown>();
  return commands.filter(({ name }) => {
    const skill = find(name);
    return !seen.has(skill) && seen.add(skill);
  });
}
