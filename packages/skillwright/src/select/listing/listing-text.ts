import type { SkillMetadata } from '../../spec/skill.ts';
import type { TrustLevel } from '../../spec/trust.ts';

/** How much of a skill is shown. */
export type ListingLevel = 'full' | 'short' | 'name-only';

const MAX_NAME = 128;
const MAX_SHORT = 120;
const MIN_SENTENCE = 12;

const PLAIN_NAME = /^[\w:.-]+$/;
const NAME_TAG = /<(?=[/!?|a-z_])/i;

/** The name under which a skill is listed and called; `undefined` if it has no name that can be shown unchanged. */
export function listedName({ name, qualifiedName, directoryName, trust }: SkillMetadata): string | undefined {
  return [name, qualifiedName, directoryName].find((candidate) => isShowable(candidate, trust));
}

function isShowable(name: string, trust: TrustLevel): boolean {
  if (name === '' || name.length > MAX_NAME) return false;
  if (PLAIN_NAME.test(name)) return true;
  return trust === 'trusted' ? oneLine(name) === name && !NAME_TAG.test(name) : escapedLine(name) === name;
}

/** The listed text of a skill on one line: description and `when_to_use`, with its origin if it is untrusted. */
export function listedDescription(skill: SkillMetadata): string {
  const clean = skill.trust === 'trusted' ? oneLine : escapedLine;
  const description = clean(skill.description);
  const whenToUse = clean(skill.whenToUse ?? '');
  const joined = joinSentences(description, description.includes(whenToUse) ? '' : whenToUse);
  return skill.trust === 'trusted' ? joined : `${originMark(skill)} ${joined}`.trimEnd();
}

/** The origin of an untrusted skill, which its texts begin with: `[untrusted: plugin acme]`. */
export function originMark({ source, pluginName }: Pick<SkillMetadata, 'source' | 'pluginName'>): string {
  const plugin = escapedLine(pluginName ?? '')
    .replaceAll(/[[\]]/g, '')
    .slice(0, 64);
  return `[untrusted: ${plugin === '' ? source : `plugin ${plugin}`}]`;
}

/** The description's first sentence, or as much of it as fits, cut between words. */
export function shortDescription(text: string): string {
  const [, origin = '', rest = ''] = /^(\[untrusted: [^\]]*\] )?(.*)$/su.exec(text) ?? [];
  const sentence = firstSentence(rest);
  return origin + (sentence.length <= MAX_SHORT ? sentence : cutText(firstClause(sentence), MAX_SHORT));
}

/** At most `length` characters, cut between words if possible, with `…` at the cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const room = text.slice(0, Math.max(0, length - 1));
  const wordEnd = room.search(/\s\S*$/u);
  const cut = wordEnd > length / 2 ? room.slice(0, wordEnd) : room;
  return `${cut.toWellFormed().replace(/[\s\ufffd,;:–—-]+$/u, '')}…`;
}

/** An entry as it appears in the prompt: a heading with the name, and the description below it. */
export function entryText(name: string, description: string): string {
  return description === '' ? `### ${name}` : `### ${name}\n${description}`;
}

/** A description, followed by the host's note. */
export function withNote(description: string, note: string | undefined): string {
  return note === undefined || note === '' ? description : `${description} ${note}`.trimStart();
}

function joinSentences(first: string, second: string): string {
  if (first === '' || second === '') return first + second;
  return `${first}${/[.!?。！？…:;]$/u.test(first) ? '' : '.'} ${second}`;
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

/** Only this much of a text is read, because the shown part is far shorter. */
const MAX_READ = 8_192;

/** Control characters, and characters that are invisible or change the direction of text. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** Zero-width joiners next to ASCII, where they can only hide something. Some scripts and emoji need joiners. */
const IDLE_JOINER = /(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/gu;
const PLAIN_TEXT = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const SPACE = /[\s\u0085]+/gu;

/** `<`, and characters that look like it or are normalized to it: fullwidth, small, and three other brackets. */
const OPENING = '<\uff1c\ufe64\u02c2\u1438\u276e\u27e8\u2329';
const CLOSING = '>\uff1e\ufe65\u02c3\u1433\u276f\u27e9\u232a';
const ANGLE = new RegExp(`[${OPENING}${CLOSING}]`, 'gu');
/**
 * `[INST]`, `[/INST]`, `[TOOL_CALLS]`, `[gMASK]`: tokens of chat templates. An ordinary word in brackets does not
 * match.
 */
const BRACKET_TOKEN = /[[\uff3b](\/?[A-Za-z]*[A-Z]{2}[A-Z0-9_]*)[\]\uff3d]/gu;
const TAG_START = new RegExp(`[${OPENING}]\\p{M}*[/!?|\\uff5c\\p{L}_]`, 'u');
/** Invisible characters, except the white space of multi-line text. */
const HIDDEN = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** A text on one line, without invisible characters. */
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

/**
 * Untrusted text on one line, without anything that a model or its chat template can read as markup: `‹` and `›`
 * replace angle brackets, so that `a < b` and `List<T>` stay readable. An entity such as `&lt;` would not work: it is
 * noise to people, and some clients decode it again.
 */
export function escapedLine(text: string): string {
  return escapeMarkup(oneLine(text));
}

/** Whether an untrusted value, which must be shown unchanged or not at all, is free of markup. */
export function isFreeOfMarkup(text: string): boolean {
  return !HIDDEN.test(text) && !TAG_START.test(text) && text.search(BRACKET_TOKEN) === -1;
}

function escapeMarkup(text: string): string {
  let open = 0;
  const angles = text.replaceAll(ANGLE, (found, index: number) => {
    if (OPENING.includes(found)) {
      open += 1;
      return '‹';
    }
    // An arrow closes nothing, and neither does a `>` without an opening bracket.
    if (open === 0 || /[-=]/.test(text.charAt(index - 1))) return '>';
    open -= 1;
    return '›';
  });
  return angles.replaceAll(BRACKET_TOKEN, '($1)');
}
