import type { SkillMetadata } from '../../spec/skill.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { escapedLine, oneLine } from './shown-text.ts';

/** How much of a skill is shown. */
export type ListingLevel = 'full' | 'short' | 'name-only';

const MAX_NAME = 128;
const MAX_SHORT = 120;
const MIN_SENTENCE = 12;

const PLAIN_NAME = /^[\w:.-]+$/;
const TAG_START = /<(?=[/!?|a-z_])/i;

/** The name under which a skill is listed and called; `undefined` if none can be shown as it is. */
export function listedName({ name, qualifiedName, directoryName, trust }: SkillMetadata): string | undefined {
  return [name, qualifiedName, directoryName].find((candidate) => isShowable(candidate, trust));
}

function isShowable(name: string, trust: TrustLevel): boolean {
  if (name === '' || name.length > MAX_NAME) return false;
  if (PLAIN_NAME.test(name)) return true;
  return trust === 'trusted' ? oneLine(name) === name && !TAG_START.test(name) : escapedLine(name) === name;
}

/** What is shown of a skill on one line: description and `when_to_use`; with its origin where it is not trusted. */
export function listedDescription(skill: SkillMetadata): string {
  const clean = skill.trust === 'trusted' ? oneLine : escapedLine;
  const description = clean(skill.description);
  const whenToUse = clean(skill.whenToUse ?? '');
  const joined = joinSentences(description, description.includes(whenToUse) ? '' : whenToUse);
  return skill.trust === 'trusted' ? joined : `${originMark(skill)} ${joined}`.trimEnd();
}

/** Where a skill that is not trusted comes from, as its texts begin: `[untrusted: plugin acme]`. */
export function originMark({ source, pluginName }: Pick<SkillMetadata, 'source' | 'pluginName'>): string {
  const plugin = escapedLine(pluginName ?? '')
    .replaceAll(/[[\]]/g, '')
    .slice(0, 64);
  return `[untrusted: ${plugin === '' ? source : `plugin ${plugin}`}]`;
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

/** A description, and what the host has to say of the skill. */
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
