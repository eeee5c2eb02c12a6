/** A skill that the user asks for by name. */
interface ExplicitCommand {
  /** The skill's name as the user wrote it. */
  readonly name: string;
  /** The text after the name, which becomes the skill's arguments. */
  readonly arguments: string;
  /** The form in which the user named it. */
  readonly form: 'slash' | 'dollar' | 'phrase' | 'name';
}

/** Looks up a name in any common spelling. Returns a value that is the same for the same skill. */
type FindNamed = (name: string) => unknown;

/** How much of a message is searched for commands inside it. */
const MAX_SEARCHED = 16_384;
const MAX_COMMANDS = 8;

const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_:.-]{0,127}`;
const SLASH = new RegExp(String.raw`^\s*/(${WORD})(?=\s|$)`, 'u');
const BARE = new RegExp(String.raw`^${WORD}(?:[ /]${WORD}){0,4}$`, 'u');
const DOLLAR = new RegExp(String.raw`(?<=^|[\s("'“])\$(${WORD})(?=$|[\s)"'”,;!?])`, 'gu');
const LEADING_WORD = /^\s*(?:(?:to|on|for|with|and)\s+|[:,;–—-]\s*)/iu;

/**
 * The skills that a message asks for: `/name arguments` at its start, `$name` anywhere, "use the name skill", "use name
 * to …", "run my-name", "use the one and other skills", or only a name. Only names that `find` knows count, so
 * `/usr/bin`, `$HOME` and prose are ignored; so are code in the message and skills that it says not to use.
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

/** Finds commands such as `$name`. `$25`, `$HOME` and `${x}` are not commands, whatever skills exist. */
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

/** Ends a line that is a separate sentence. */
const LINE_END = '\u2029';

/** Replaces fenced blocks by a space, closed or not. */
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

/** Text between equal numbers of backticks. */
const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;

/** Replaces inline code by as many spaces, so that positions stay valid. */
function withoutInlineCode(text: string): string {
  return text.replaceAll(CODE, (code) => ' '.repeat(code.length));
}

/**
 * Joins lines, except those that begin a sentence or an item. Drops code of several words; a name alone is often
 * written as code.
 */
function toProse(text: string): string {
  return text
    .replaceAll(CODE, (code) => (/\s/.test(code) ? ' '.repeat(code.length) : code))
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n(?= ?(?:$|\n|[-*•>#]|\d+[.)]|\p{Lu}))/gu, LINE_END)
    .replaceAll(/[ \n]+/g, ' ');
}

/** How many characters before a skill's name are searched for a refusal. */
const LONGEST_CLAUSE = 160;
const SENTENCE_END = /[.;:!?\n\u2029](?=\s|$)/g;
const NEGATION =
  /\b(?:not|never|without|avoid|stop|cannot|dont|nor|neither|instead of|rather than|no need to)\b|n['’]t\b/giu;
/** Words before a negation that make it a condition or a reason, not a refusal: "if it does not open, …". */
const CONDITION = /\b(?:if|when|whenever|since|because|unless|although|in case)\b[^,]*$/iu;
const SUGGESTION = /\bwhy\s*$/iu;
/** Words between a negation and a skill's name that begin a new thought, so that the name is not refused. */
const TURN = /\b(?:but|then|so|instead,|and (?:i|you|we|please|let['’]s))\b/iu;
/** A comma between a negation and a skill's name, directly followed by what the user wants instead. */
const NEW_CLAUSE =
  /^[^,].*,\s*(?:(?:please|just|so|and|but|rather|instead|maybe|you (?:can|could|may|should)|let['’]s) )*$/isu;

/** Whether a text may contain a refusal at all: most contain none. */
function mayRefuse(text: string): boolean {
  return /\b(?:not|never|without|avoid|stop|cannot|dont|nor|neither|instead|rather|no|skip|ignore)\b|n['’]t\b/i.test(
    text,
  );
}

/** Whether the sentence says, before this position, not to use the skill whose name starts there. */
function isRefused(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - LONGEST_CLAUSE), index);
  const sentence = before.slice((lastMatch(before, SENTENCE_END)?.index ?? -1) + 1);
  const negation = lastMatch(sentence, NEGATION);
  if (negation === undefined) return false;
  const left = sentence.slice(0, negation.index);
  const between = sentence.slice(negation.index + negation[0].length);
  if (SUGGESTION.test(left) || CONDITION.test(left)) return false;
  return !TURN.test(between) && !NEW_CLAUSE.test(between);
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...text.matchAll(pattern)].at(-1);
}

/** A skill that a text says to use or not to use. */
interface Mention {
  readonly name: string;
  /** The text after the skill's name. */
  readonly rest: string;
  readonly isRefused: boolean;
}

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

/**
 * The skills that a text names after a word such as "use". Skills found by the same pattern keep the order of the text.
 */
function phraseMentions(text: string, find: FindNamed): Mention[] {
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
function refusedMentions(text: string, find: FindNamed): Pick<Mention, 'name'>[] {
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

/** The skill names after a verb such as "run". An ordinary word counts only if it is the whole instruction. */
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

/** Whether a name cannot be prose: nobody writes `git-commit` and means something else. */
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
