import type { SkillMetadata } from '../../spec/skill.ts';
import { functionWordsOf, isUnspaced, splitUnspaced } from './languages.ts';
import { splitScope } from '../ranking/text/scope.ts';
import { stemWord } from '../ranking/text/stem.ts';
import { REQUEST_STEMS, STOP_WORDS } from '../ranking/text/words.ts';
import { wordsOf } from '../triggers/trigger-words.ts';

/** Longer words are data, longer texts are read in part. */
const LONGEST_WORD = 40;
const LONGEST_TEXT = 16_000;

/** The words of a text that say what it is about, as first written, by their stems. */
export function tellingWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  const all = readWords(text);
  const empty = functionWordsOf(all.map(foldAccents));
  for (const word of all) {
    const stem = stemOf(word);
    if (words.has(stem) || word.length < 2 || word.length > LONGEST_WORD || /^\p{N}+$/u.test(word)) continue;
    if (!STOP_WORDS.has(word) && !REQUEST_STEMS.has(stem) && !empty.has(foldAccents(word))) words.set(stem, word);
  }
  return words;
}

/** As the ranker stems it: without accents. */
export function stemOf(word: string): string {
  return stemWord(foldAccents(word));
}

/** The words by which a skill is chosen before its instructions are read. */
export function headWords({ name, description, whenToUse = '', tags = [] }: SkillMetadata): Map<string, string> {
  return tellingWords([name, description, whenToUse, ...tags].join(' '));
}

/** The same without those of the sentences that say what it is not for. */
export function offeredWords(skill: SkillMetadata): Map<string, string> {
  const { description, whenToUse = '' } = skill;
  return headWords({ ...skill, description: splitScope(`${description} . ${whenToUse}`).included, whenToUse: '' });
}

/** Terms of a ranker, which may be stems, as the text writes them. */
export function asWritten(terms: readonly string[], text: string): string[] {
  const written = new Map<string, string>();
  for (const word of readWords(text)) {
    const stem = stemOf(word);
    if (!written.has(stem)) written.set(stem, word);
  }
  return terms.map((term) =>
    term
      .split(' ')
      .map((part) => written.get(part) ?? part)
      .join(' '),
  );
}

/** The word that a term of a ranker stands for; of unspaced scripts a term is two characters, which may be within one. */
export function wordOfTerm(term: string, words: ReadonlyMap<string, string>): string | undefined {
  const word = words.get(stemOf(term));
  if (word !== undefined || !isUnspaced(term)) return word;
  return [...words.values()].find((candidate) => candidate.includes(term));
}

function readWords(text: string): string[] {
  return wordsOf(text.slice(0, LONGEST_TEXT).toWellFormed()).flatMap((word) =>
    isUnspaced(word) ? splitUnspaced(word) : [word],
  );
}

function foldAccents(word: string): string {
  return word.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
}

/** Counts words, and gives those that occur most, of equals the first. */
export class WordCounts {
  readonly #counts = new Map<string, { readonly word: string; count: number }>();

  add(stem: string, word: string): void {
    const entry = this.#counts.get(stem);
    if (entry === undefined) this.#counts.set(stem, { word, count: 1 });
    else entry.count += 1;
  }

  most(limit: number): string[] {
    return [...this.#counts.values()]
      .toSorted((a, b) => b.count - a.count)
      .slice(0, limit)
      .map(({ word }) => word);
  }
}
