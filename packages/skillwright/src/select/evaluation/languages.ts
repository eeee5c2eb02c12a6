/** Words that any request may hold, in languages that the ranker has no list of. Accents are left out. */
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

/** In scripts without spaces. */
const UNSPACED_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `一下 一个 一些 一份 什么 为什么 你们 他们 以及 使用 可以 如何 它们 帮助 帮忙 帮我 怎么 怎样 想要 我们 或者 所有 是否 有没有 然后 现在 用户 能否 自己 请问
  这个 这些 这份 这里 那个 那些 需要 还是 进行 する して した ます です から まで この その ください ため こと もの について お願い 저는 이것 그것 하는 해줘 주세요`.split(
    /\s+/,
  ),
);

/** So many of its words say that a text is in a language. */
const LEAST_WORDS = 2;
const NONE: ReadonlySet<string> = new Set();

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The words that say nothing, in the language that most of these words are of; none where that is another, or English. */
export function functionWordsOf(words: readonly string[]): ReadonlySet<string> {
  const distinct = [...new Set(words)].filter((word) => word.length > 1);
  if (distinct.some(isUnspaced)) return UNSPACED_FUNCTION_WORDS;
  const counted = FUNCTION_WORDS.map((list) => ({ list, count: distinct.filter((word) => list.has(word)).length }));
  const best = counted.reduce((most, each) => (each.count > most.count ? each : most), { list: NONE, count: 0 });
  const english = distinct.filter((word) => ENGLISH.has(word)).length;
  return best.count >= LEAST_WORDS && best.count > english ? best.list : NONE;
}

/** The commonest, which no text of some length is without. */
const ENGLISH: ReadonlySet<string> = new Set(
  'the of and to in for with is this my that it you your use when from'.split(' '),
);

/** Whether a text has words that no space separates. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** The words of a run of such a script, without those of one character: these say little by themselves. */
export function splitUnspaced(run: string): string[] {
  const words = [...new Intl.Segmenter('und', { granularity: 'word' }).segment(run)].map(({ segment }) => segment);
  return words.filter((word) => word.length > 1);
}
