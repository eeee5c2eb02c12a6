/** A skill that somebody asks for by name. */
export interface ExplicitCommand {
  /** The name as written. */
  readonly name: string;
  /** What stands after it, for the skill. */
  readonly arguments: string;
  /** How it was asked for. */
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
const VERB = String.raw`\b(?:use|using|invoke|apply|activate|run|load|try)`;
const QUOTE = '["\'“”‘’`]?';
const NAME = String.raw`${QUOTE}(${WORD}(?: ${WORD}){0,4}?)${QUOTE}`;
const SKILL_PHRASE = new RegExp(
  String.raw`${VERB} (?:the |my |your |our )?(?:skill ${NAME}|${NAME} skill)(?![\p{L}\p{N}_-])`,
  'giu',
);
const USE_TO = new RegExp(String.raw`\buse (?:the )?${NAME} to (?=\S)`, 'giu');
/** Right before a mention: it is not wanted. */
const REFUSAL = /(?:\b(?:not|never|without|avoid|stop|instead of|rather than|cannot)|n['’]t)(?: \w+)?\s*$/iu;
const LEADING_WORD = /^\s*(?:(?:to|on|for|with|and)\s+|[:,;–—-]\s*)/iu;

/**
 * The skills that a message asks for: `/name arguments` at its start, `$name` anywhere, "use the name skill", "use name
 * to …", or nothing but a name. Only names that `find` knows count, so that `/usr/bin`, `$HOME` and prose are what they
 * are; code in the message is passed over.
 */
export function findExplicitCommands(message: string, find: FindNamed): ExplicitCommand[] {
  const slash = slashCommand(message, find);
  if (slash !== undefined) return [slash];
  const bare = message.trim();
  if (BARE.test(bare) && find(bare) !== undefined) return [{ name: bare, arguments: '', form: 'name' }];
  const text = withoutCodeBlocks(message.slice(0, MAX_SEARCHED));
  return distinct([...dollarCommands(text, find), ...phraseCommands(text, find)], find).slice(0, MAX_COMMANDS);
}

function slashCommand(message: string, find: FindNamed): ExplicitCommand | undefined {
  const [start, name = ''] = SLASH.exec(message) ?? [];
  if (start === undefined) return undefined;
  const known = [name, name.replace(/[.:-]+$/, '')].find((spelling) => find(spelling) !== undefined);
  return known === undefined
    ? undefined
    : { name: known, arguments: message.slice(start.length).trim(), form: 'slash' };
}

/** `$25`, `$HOME` and `${x}` are no commands, whatever skills there are. */
function dollarCommands(text: string, find: FindNamed): ExplicitCommand[] {
  return [...withoutInlineCode(text).matchAll(DOLLAR)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const name = written.replace(/[.:-]+$/, '');
    if (!/\p{Ll}|\p{Lo}/u.test(name) || find(name) === undefined || isRefused(text, index)) return [];
    const isFirst = text.slice(0, index).trim() === '';
    return [{ name, arguments: isFirst ? text.slice(index + whole.length).trim() : '', form: 'dollar' as const }];
  });
}

function phraseCommands(text: string, find: FindNamed): ExplicitCommand[] {
  const prose = withoutLongInlineCode(text).replaceAll(/\s/g, ' ').replaceAll(/ {2,}/g, ' ');
  return [SKILL_PHRASE, USE_TO].flatMap((pattern) =>
    [...prose.matchAll(pattern)].flatMap(({ 0: whole, 1: first, 2: second, index }) => {
      const name = first ?? second ?? '';
      if (find(name) === undefined || isRefused(prose, index)) return [];
      const rest = prose.slice(index + whole.length);
      return [{ name, arguments: rest.replace(LEADING_WORD, '').trim(), form: 'phrase' as const }];
    }),
  );
}

function isRefused(text: string, index: number): boolean {
  return REFUSAL.test(text.slice(Math.max(0, index - 40), index));
}

/** The first way in which each skill is asked for. */
function distinct(commands: readonly ExplicitCommand[], find: FindNamed): ExplicitCommand[] {
  const seen = new Set<unknown>();
  return commands.filter(({ name }) => {
    const skill = find(name);
    return !seen.has(skill) && seen.add(skill);
  });
}

/** Fenced blocks become a space, closed or not. */
function withoutCodeBlocks(text: string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .map((line) => {
      const [, mark] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence === undefined) {
        fence = mark;
        return mark === undefined ? line : ' ';
      }
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      return ' ';
    })
    .join('\n');
}

function withoutInlineCode(text: string): string {
  return text.replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
}

/** A name alone is often written as code. */
function withoutLongInlineCode(text: string): string {
  return text.replaceAll(/`[^`\n]*`/g, (code) => (/\s/.test(code) ? ' '.repeat(code.length) : code));
}
