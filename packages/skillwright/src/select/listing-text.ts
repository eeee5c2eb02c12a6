import type { SkillMetadata } from '../spec/skill.ts';

/** How much of a skill is shown. */
export type ListingLevel = 'full' | 'short' | 'name-only';

/** No more of a text than this is looked at: what is shown is far shorter. */
const MAX_READ = 8_192;
const MAX_NAME = 128;
const MAX_SHORT = 120;
const MIN_SENTENCE = 12;

/** Control characters, and characters that are invisible or turn the direction of text. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** Some scripts and emoji need joiners; beside ASCII they only hide something. */
const IDLE_JOINER = /(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/gu;
const PLAIN_NAME = /^[\w:.-]+$/;
const PLAIN_TEXT = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const SPACE = /[\s\u0085]+/gu;
const TAG = /<[/!?|]?[a-z_][^<>]*>|<\|[^<>]*>|<!--/gi;
const TAG_START = /<(?=[/!?|a-z_])/gi;
const TAG_PASSES = 4;

/** The name under which a skill is listed and called; `undefined` if none can be shown as it is. */
export function listedName({ name, qualifiedName, directoryName }: SkillMetadata): string | undefined {
  return [name, qualifiedName, directoryName].find(isShowable);
}

function isShowable(name: string): boolean {
  if (name.length <= MAX_NAME && PLAIN_NAME.test(name)) return true;
  return name !== '' && name.length <= MAX_NAME && withoutTags(oneLine(name)) === name;
}

/** What is shown of a skill on one line: description and `when_to_use`; with its origin where it is not trusted. */
export function listedDescription(skill: SkillMetadata): string {
  const clean = skill.trust === 'trusted' ? oneLine : (text: string): string => withoutTags(oneLine(text));
  const description = clean(skill.description);
  const whenToUse = clean(skill.whenToUse ?? '');
  const joined = joinSentences(description, description.includes(whenToUse) ? '' : whenToUse);
  return skill.trust === 'trusted' ? joined : `[${originOf(skill)}] ${joined}`.trimEnd();
}

/** The description's first sentence, or what of it fits, cut between words. */
export function shortDescription(text: string): string {
  const [, origin = '', rest = ''] = /^(\[untrusted: [^\]]*\] )?(.*)$/su.exec(text) ?? [];
  const sentence = firstSentence(rest);
  return origin + (sentence.length <= MAX_SHORT ? sentence : cutText(firstClause(sentence), MAX_SHORT));
}

/** At most `length` characters, cut between words where there are any, with `…` where something was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const room = text.slice(0, Math.max(0, length - 1));
  const wordEnd = room.search(/\s\S*$/u);
  const cut = wordEnd > length / 2 ? room.slice(0, wordEnd) : room;
  return `${cut.toWellFormed().replace(/[\s\ufffd,;:–—-]+$/u, '')}…`;
}

/** The form of the prompt: a heading with the name, and the description below it. */
export function entryText(name: string, description: string): string {
  return description === '' ? `### ${name}` : `### ${name}\n${description}`;
}

function oneLine(text: string): string {
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ) : text;
  if (PLAIN_TEXT.test(read)) return read;
  return read
    .replaceAll(SPACE, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(IDLE_JOINER, '')
    .replaceAll(/ +/g, ' ')
    .trim();
}

/** Without anything that a model may take for markup of its prompt. */
function withoutTags(text: string): string {
  let left = text;
  for (let pass = 0; pass < TAG_PASSES; pass += 1) {
    const next = left.replaceAll(TAG, '');
    if (next === left) break;
    left = next;
  }
  return left.replaceAll(TAG_START, '‹').replaceAll(SPACE, ' ').trim();
}

function joinSentences(first: string, second: string): string {
  if (first === '' || second === '') return first + second;
  return `${first}${/[.!?。！？…:;]$/u.test(first) ? '' : '.'} ${second}`;
}

function originOf({ source, pluginName }: SkillMetadata): string {
  const plugin = withoutTags(oneLine(pluginName ?? ''))
    .replaceAll(/[[\]]/g, '')
    .slice(0, 64);
  return `untrusted: ${plugin === '' ? source : `plugin ${plugin}`}`;
}

function firstSentence(text: string): string {
  for (const { index, 0: mark } of text.matchAll(/(?<=[\p{L}\p{N}\p{Pe}\p{Pf}"'`]{2})[.!?](?=\s)|[。！？]/gu)) {
    if (index >= MIN_SENTENCE || /[。！？]/u.test(mark)) return text.slice(0, index + mark.length);
  }
  return text;
}

function firstClause(text: string): string {
  const end = text.slice(0, MAX_SHORT).search(/[;:—–(](?!.*[;:—–(])/u);
  return end >= MAX_SHORT / 3 ? `${text.slice(0, end).trimEnd()}…` : text;
}
