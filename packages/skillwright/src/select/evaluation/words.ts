import type { SkillMetadata } from '../../spec/skill.ts';
import { splitScope } from '../ranking/text/scope.ts';
import { stemWord, REQUEST_STEMS, STOP_WORDS } from '../ranking/text/words.ts';
import { wordsOf } from '../triggers/trigger-score.ts';

/** Words that are longer than this are probably data. Texts are read only up to the second limit. */
const LONGEST_WORD = 40;
const LONGEST_TEXT = 16_000;

/** Maps the stem of each topic word in a text to the word as first written there. */
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

/** Stems a word like the ranker does: without accents. */
export function stemOf(word: string): string {
  return stemWord(foldAccents(word));
}

/** The words by which a skill is chosen before its instructions are read. */
export function headWords({ name, description, whenToUse = '', tags = [] }: SkillMetadata): Map<string, string> {
  return tellingWords([name, description, whenToUse, ...tags].join(' '));
}

/** Like `headWords`, but without the words of sentences that say when not to use the skill. */
export function offeredWords(skill: SkillMetadata): Map<string, string> {
  const { description, whenToUse = '' } = skill;
  return headWords({ ...skill, description: splitScope(`${description} . ${whenToUse}`).included, whenToUse: '' });
}

/** Replaces a ranker's terms, which may be stems, with the words of the text that they come from. */
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

/** The word that a ranker's term stands for. In unspaced scripts a term is two characters, possibly inside a word. */
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

/** Counts words, and returns the most frequent; ties go to the earlier word. */
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

/** Common words of any request, in languages for which the ranker has no list, without accents. */
const FUNCTION_WORDS: readonly ReadonlySet<string>[] = [
  // Spanish
  `a al algo como con cual cuando cuanto cuantos de del desde donde el ella en entre es esta estas este estos ha hace hacer
  hasta hay la las le lo los me mi mis muy necesito no nos o para pero por porque puede puedes puedo que quiero se ser si sin
  sobre son su sus tengo tiene tienes tu tus un una unos y ya yo`,
  // French
  `a ai au aux avec ce ces cette comme comment dans de des doit du elle en est et etre faire fait fais il ils j je l la le les
  leur ma mes moi mon n ne nos notre nous on ou par pas peux peut pour pourquoi qu quand que quel quelle qui s sa sans se ses
  si son sont sur ta tes ton tu un une veux vos votre vous y`,
  // German
  `aber alle als am an auf aus bei bin bis bitte brauche das dass dem den der des dich die dieser diese dieses du durch ein eine
  einem einen einer es fur geht haben hat ich ihr im in ist ja kann kannst konnen mein meine meinem meinen mich mir mit
  mochte muss nach nicht noch nur ob oder ohne sein sich sie sind so soll uber um und uns unser von vor war was wenn wer wie
  will wir wird wo zu zum zur`,
  // Portuguese
  `a ao aos as com como da das de do dos e ela ele em entre esta este eu fazer foi ha isso isto ja la mais mas me meu meus minha
  na nao nas no nos o os ou para pelo pela por porque posso preciso pode qual quando que quero se sem ser seu sua sao sobre
  tem tenho um uma voce`,
  // Italian
  `a ai al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e ed era fare ha ho i il in io la le lo
  loro ma mi mia mio ne nel nella non o per perche posso puo qual quale quando quanto questa questo se si sono su sul sulla
  ti tra tu un una uno voglio`,
].map((words) => new Set(words.split(/\s+/)));

/** Common words of any request in scripts without spaces. */
const UNSPACED_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `一下 一个 一些 一份 什么 为什么 你们 他们 以及 使用 可以 如何 它们 帮助 帮忙 帮我 怎么 怎样 想要 我们 或者 所有 是否 有没有 然后 现在 用户 能否 自己 请问
  这个 这些 这份 这里 那个 那些 需要 还是 进行 する して した ます です から まで この その ください ため こと もの について お願い 저는 이것 그것 하는 해줘 주세요`.split(
    /\s+/,
  ),
);

/** A text is in a language if it has at least this many of the language's function words. */
const LEAST_WORDS = 2;
const NONE: ReadonlySet<string> = new Set();

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The function words of the language that most of these words belong to; empty for another language or English. */
function functionWordsOf(words: readonly string[]): ReadonlySet<string> {
  const distinct = [...new Set(words)].filter((word) => word.length > 1);
  if (distinct.some(isUnspaced)) return UNSPACED_FUNCTION_WORDS;
  const counted = FUNCTION_WORDS.map((list) => ({ list, count: distinct.filter((word) => list.has(word)).length }));
  const best = counted.reduce((most, each) => (each.count > most.count ? each : most), { list: NONE, count: 0 });
  const english = distinct.filter((word) => ENGLISH.has(word)).length;
  return best.count >= LEAST_WORDS && best.count > english ? best.list : NONE;
}

/** The most common English words, which occur in every longer English text. */
const ENGLISH: ReadonlySet<string> = new Set(
  'the of and to in for with is this my that it you your use when from'.split(' '),
);

/** Whether a text has words without spaces between them. */
function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** Splits a run of unspaced script into words. Leaves out single characters, which say little about the topic. */
function splitUnspaced(run: string): string[] {
  const words = [...new Intl.Segmenter('und', { granularity: 'word' }).segment(run)].map(({ segment }) => segment);
  return words.filter((word) => word.length > 1);
}
