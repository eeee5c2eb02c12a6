import { headWords, tellingWords } from '../../../../select/evaluation/words.ts';
import type { SkillMetadata } from '../../../../spec/skill.ts';

/** The part of a skill that a proposal comes from. */
export type CaseOrigin = 'description' | 'when_to_use' | 'example' | 'heading' | 'tags';

/** A trigger case that a skill's own text suggests. */
export interface ProposedCase {
  readonly query: string;
  readonly shouldTrigger: boolean;
  readonly from: CaseOrigin;
}

const MOST_POSITIVE = 10;
const MOST_NEGATIVE = 6;
const MOST_OF_HEADINGS = 3;
const TAGS_JOINED = 3;
/** Longer texts are read only in part. */
const LONGEST_TEXT = 64_000;
const LONGEST_SENTENCE = 1_000;
const LONGEST_QUERY = 200;
const LEAST_WORDS = 2;
const MOST_WORDS = 25;

/** The form in which queries are compared, so that no query is proposed twice. */
export function caseKey(query: string): string {
  return query
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * Trigger cases from the words of a skill: quoted examples, "use when" and "do not use" clauses, headings and tags.
 * Leaves out known cases, and cases with the skill's name, which would test nothing.
 */
export function proposeCases(skill: SkillMetadata, body: string, known: ReadonlySet<string>): ProposedCase[] {
  const { name, description, whenToUse = '', tags = [] } = skill;
  const topics = tags.filter((tag) => caseKey(tag) !== caseKey(name));
  const inBody = casesInBody(body.slice(0, LONGEST_TEXT), skill);
  const all: ProposedCase[] = [
    ...inBody.filter(({ from }) => from === 'example'),
    ...casesInProse(description, 'description'),
    ...casesInProse(whenToUse, 'when_to_use'),
    ...inBody.filter(({ from }) => from === 'heading').slice(0, MOST_OF_HEADINGS),
    ...(topics.length > 1 ? [{ query: spoken(topics), shouldTrigger: true, from: 'tags' as const }] : []),
  ];
  const seen = new Set(known);
  const fresh = all.filter(({ query }) => {
    const key = caseKey(query);
    if (key === '' || key === caseKey(name) || seen.has(key) || namesSkill(query, name)) return false;
    seen.add(key);
    return true;
  });
  return [
    ...fresh.filter(({ shouldTrigger }) => shouldTrigger).slice(0, MOST_POSITIVE),
    ...fresh.filter(({ shouldTrigger }) => !shouldTrigger).slice(0, MOST_NEGATIVE),
  ];
}

/** Whether a query has a name such as `word-count` in it, which people do not say. */
function namesSkill(query: string, name: string): boolean {
  return /[-_:]/.test(name) && query.toLowerCase().includes(name.toLowerCase());
}

function spoken(tags: readonly string[]): string {
  return tags.slice(0, TAGS_JOINED).join(' ').replaceAll('-', ' ').slice(0, LONGEST_QUERY);
}

const USE =
  /\b(?:use|invoke|activate|apply|trigger|load) (?:this (?:skill|tool) |it )?(?:proactively )?(?:when|whenever|if|for|to|on) |\bwhen (?=(?:the |a )?users? )|\b(?:useful|helpful|ideal|designed) (?:for|when) |\btriggers?(?: on| phrases| include)?: /i;
const DO_NOT_USE =
  /\b(?:do not|don['’]t|never) (?:use|invoke|apply|trigger) (?:this (?:skill|tool) |it )?(?:when|whenever|if|for|to) |\bnot (?:meant |intended |suitable )?for:? /i;

/** The cases in a description: its quotes, and the items of its clauses about when to use the skill and when not. */
function casesInProse(text: string, from: CaseOrigin): ProposedCase[] {
  return sentencesOf(text).flatMap((sentence) => {
    const not = DO_NOT_USE.exec(sentence);
    const before = not === null ? sentence : sentence.slice(0, not.index);
    const after = not === null ? '' : sentence.slice(not.index + not[0].length);
    const use = USE.exec(before);
    const wanted = use === null ? [] : itemsOf(before.slice(use.index + use[0].length));
    return [
      ...[...quotesIn(before), ...wanted].map((query) => ({ query, shouldTrigger: true, from })),
      ...[...quotesIn(after), ...itemsOf(after)].map((query) => ({ query, shouldTrigger: false, from })),
    ];
  });
}

function sentencesOf(text: string): string[] {
  return text
    .slice(0, LONGEST_TEXT)
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?])(?= )|(?<=[。！？])/)
    .map((sentence) => sentence.trim().slice(0, LONGEST_SENTENCE));
}

const QUOTE =
  /"([^"\n]{4,200})"|“([^”\n]{4,200})”|「([^」\n]{2,200})」|(?<=^|[\s(,:])'([^'\n]{4,200})'(?=$|[\s,.;:)])/g;
const INTRODUCED_QUOTE = new RegExp(`(?: (?:such as|like|e\\.g\\.),?)? ?(?:${QUOTE.source})`, 'g');

function quotesIn(text: string): string[] {
  return [...text.matchAll(QUOTE)].flatMap((match) =>
    queryFrom(match.slice(1).find((quote) => quote !== undefined) ?? ''),
  );
}

/** Splits where a comma begins a clause of its own, and not between the nouns of a list. */
const CLAUSE_START =
  /; | [-–—] |, (?=(?:and |or )?(?:asks?|wants?|needs?|says?|mentions?|requests?|how|what|when|where|whether|which|who|why|if|to|for|all|before|after|\p{L}{2,20}ing) )/iu;

/** The clauses that can stand alone. */
function itemsOf(clause: string): string[] {
  return clause
    .replaceAll(INTRODUCED_QUOTE, ' ')
    .split(CLAUSE_START)
    .flatMap((item) => queryFrom(withoutSpeaker(item.trim())));
}

/** Introductory words, such as `when the user wants to`, which are not part of a query. */
const SPEAKER =
  /^(?:and|or|but|also|when|whenever|if|for|to|about|that|such as|like|including|especially|explicitly|the users?|users?|a user|someone|somebody|anyone|people|you|they|asks?|asked|asking|wants?|wanting|needs?|needing|says?|requests?|requesting|mentions?|would like|is|are|has|have|help|with) /i;
const MOST_STRIPPED = 8;

function withoutSpeaker(item: string): string {
  let text = item;
  for (let step = 0; step < MOST_STRIPPED && SPEAKER.test(text); step += 1) text = text.replace(SPEAKER, '');
  return text;
}

/** The text as a query, without markdown; none if it is too short or too long to be one. */
function queryFrom(text: string): string[] {
  const plain = text
    .replaceAll(/\[([^\]]{1,200})\]\([^)]{0,500}\)/g, '$1')
    .replaceAll(/[*`\p{Cc}]/gu, '')
    .replaceAll(/[ ,]{2,}/g, (gap) => (gap.includes(',') ? ', ' : ' '));
  const query = withoutMarks(plain).replace(/ (?:such as|like|e\.g|for example)$/i, '');
  const words = query.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^(?:or|and|a|an|the)$/i.test(word));
  const isUnspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u.test(query);
  const isQuery = (words.length >= LEAST_WORDS || isUnspaced) && words.length <= MOST_WORDS;
  return isQuery && query.length <= LONGEST_QUERY && !/→|->|^\(/.test(query) ? [query] : [];
}

const OPENING = new Set(' "\'“,;:.–—-');
const CLOSING = new Set(' "\'”,;:.!–—-');

/** The text without punctuation around it, and without a parenthesis that has no partner. */
function withoutMarks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && OPENING.has(text.charAt(start))) start += 1;
  while (end > start && CLOSING.has(text.charAt(end - 1))) end -= 1;
  const inner = text.slice(start, end);
  if (inner.endsWith(')') && !inner.includes('(')) return withoutMarks(inner.slice(0, -1));
  if (inner.startsWith('(') && !inner.includes(')')) return withoutMarks(inner.slice(1));
  return inner;
}

type Section = 'use' | 'not' | 'examples' | 'other';

const FENCE = /^(?:```|~~~)/;
const HEADING = /^(#{1,6}) +(.{1,200}?) *#{0,6}$/;
/** A line that only has a label in bold, such as `**Do not use when:**`, begins a section too. */
const BOLD_LABEL = /^\*\*([^*]{1,80})\*\*:?$/;
const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)]) +(.+)$/;
const USER_LINE = /^(?:[-*>] +)?\*{0,2}(?:user|human|prompt|request|query)(?: says)?\*{0,2}: ?\*{0,2} ?(.{4,300})$/i;

/** Headings that could be tasks, quoted examples, what users say, and lists of when to use the skill and when not. */
function casesInBody(body: string, skill: SkillMetadata): ProposedCase[] {
  const own = headWords(skill);
  const found: ProposedCase[] = [];
  let section: Section = 'other';
  let isFenced = false;
  // List items may continue on the next line.
  const joined = body.replaceAll(/\r?\n {2,8}(?=[^\s\-*+#`~\d|])/g, ' ');
  for (const raw of joined.split('\n')) {
    const line = raw.trim().slice(0, LONGEST_SENTENCE);
    if (FENCE.test(line)) isFenced = !isFenced;
    if (isFenced || line === '') continue;
    const [, marks, heading] = HEADING.exec(line) ?? [undefined, undefined, BOLD_LABEL.exec(line)?.[1]];
    if (heading !== undefined) {
      section = sectionOf(heading);
      if (section === 'other' && marks !== undefined && marks !== '#') found.push(...taskInHeading(heading, own));
    } else found.push(...casesInLine(line, section));
  }
  return found;
}

function sectionOf(heading: string): Section {
  if (/\b(?:not to use|not for|do not use|don['’]t use|out of scope|non-goals?)\b/i.test(heading)) return 'not';
  if (/\b(?:when to use|use cases?|use when|triggers?)\b/i.test(heading)) return 'use';
  return /\b(?:examples?|samples?|prompts?|queries|requests?|usage)\b/i.test(heading) ? 'examples' : 'other';
}

/**
 * A heading becomes a case only if it has two words of the skill's name, description or tags. Other headings name steps
 * and parts.
 */
function taskInHeading(heading: string, own: ReadonlyMap<string, string>): ProposedCase[] {
  const text = heading.replace(/^(?:(?:step|phase|part) )?\d{0,3}[.:)]? */i, '');
  const isTask = [...tellingWords(text).keys()].filter((stem) => own.has(stem)).length > 1;
  const queries = isTask && !/[`:[\]&—]/.test(text) ? queryFrom(text) : [];
  return queries.map((query) => ({ query: asSentence(query), shouldTrigger: true, from: 'heading' }));
}

/** Headings in title case keep it, because they may be names. */
function asSentence(heading: string): string {
  return /^\p{Lu}\p{Ll}* \p{Ll}/u.test(heading) ? heading.slice(0, 1).toLowerCase() + heading.slice(1) : heading;
}

function casesInLine(line: string, section: Section): ProposedCase[] {
  const spokenText = USER_LINE.exec(line)?.[1];
  const item = LIST_ITEM.exec(line)?.[1];
  const quotes = section === 'other' ? [] : quotesIn(line);
  const isListed = (section === 'use' || section === 'not') && item !== undefined && quotes.length === 0;
  const queries = [
    ...(spokenText === undefined ? [] : queryFrom(spokenText)),
    ...quotes,
    ...(isListed ? queryFrom(withoutSpeaker(item)) : []),
  ];
  return queries.map((query) => ({ query, shouldTrigger: section !== 'not', from: 'example' }));
}
