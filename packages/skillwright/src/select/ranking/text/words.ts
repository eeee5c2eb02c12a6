const VOWEL = /[aeiouy]/;
const PLAIN_WORD = /^[a-z]+$/;
const SIBILANT_PLURAL = /(?:ss|sh|ch|x|zz)es$/;
const NO_PLURAL = /(?:ss|us|is)$/;
const KEEPS_DOUBLE = /[aeiouslz]/;

/**
 * Strips common English endings from a lower-case word, so that `migrations` matches `migrate`, and `routing` matches
 * `route`. It is cautious on purpose: a missed ending costs one match, but merging two different words costs precision.
 * Words with anything but a–z are returned unchanged.
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !PLAIN_WORD.test(word)) return word;
  return withoutFinalVowel(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (SIBILANT_PLURAL.test(word)) return word.slice(0, -2);
  if (word.endsWith('s') && !NO_PLURAL.test(word)) return word.slice(0, -1);
  return word;
}

function withoutVerbEnding(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return verbStem(word, word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed')) return verbStem(word, word.slice(0, -2));
  return word;
}

/**
 * `spring` has no vowel before its ending, so it is not a verb form; `running` doubles a consonant that `run` does not
 * have.
 */
function verbStem(word: string, stem: string): string {
  if (!VOWEL.test(stem)) return word;
  const last = stem.at(-1) ?? '';
  return stem.length > 2 && last === stem.at(-2) && !KEEPS_DOUBLE.test(last) ? stem.slice(0, -1) : stem;
}

function withoutFinalVowel(word: string): string {
  const stem = word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
  return stem.length > 3 && stem.endsWith('y') ? `${stem.slice(0, -1)}i` : stem;
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** English words that say nothing about a task. */
const ENGLISH: string = [
  'a an the and or but if of to in on at for from with by as is are was were be been being am do does did doing done',
  'have has had having me my we us our you your he she it its they them their this that these those there here what',
  'which who whom whose when where why how not no nor so than then too very can could should would will shall may might',
  'must just about into over under again also any all each some such only own same up out off down between through',
  'during before after above below both few more most other until while because don doesn didn isn ll re ve im etc eg ie',
  'via per vs',
].join(' ');

/**
 * The most common words of Spanish, Portuguese, French, Italian and German that say nothing about a task, with accents
 * folded. Words that English also has are left out.
 */
const OTHER_LANGUAGES: string = [
  'el los las una unos unas del al que en es y o para por con como mi tu su sus este esta estos estas lo le les se',
  'um uma os dos das na nas ao aos nao e ou mais seu sua meu minha eu voce isso',
  'la le un une du dans est et ou avec ce cette ces mes ses vous nous je il elle ils qui que ne pas',
  'il gli uno di della delle dei nel nella che non e sono questo questa mio mia',
  'der das ein eine einen einem eines und oder ist sind mit von zu zum zur im auf ich wir sie mein meine wie nicht',
].join(' ');

/** Words that are never indexed. */
export const STOP_WORDS: ReadonlySet<string> = wordSet(`${ENGLISH} ${OTHER_LANGUAGES}`);

/**
 * Words of everyday language: numbers, times, people, and general remarks. If a task shares only these with a skill,
 * the skill probably does not match, so the confidence is low. The order is not affected.
 */
export const EVERYDAY_STEMS: ReadonlySet<string> = new Set(
  [
    'one two three four five six seven eight nine ten twelve twenty hundred thousand first second third once twice half',
    'day week month year hour minute today tomorrow yesterday tonight morning evening night afternoon now soon later',
    'early late last next ago ever never always often sometimes time',
    'people person man woman men women child children kid friend family mother father sister brother grandmother',
    'everyone someone anyone myself yourself itself nothing everything anything somewhere',
    'go going come take put see look find think say said talk speak feel seem become turn start begin stop end keep hold',
    'bring leave stay live mean call happen move buy pay spend cost eat drink cook sleep play win lose love hate hope',
    'wish believe remember forget learn teach choose pick decide follow wait meet sit stand open close carry care matter',
    'suggest recommend plan name explain fix change check',
    'good great nice bad better worse big large small little long short tall high low old young red blue green black',
    'white brown hot cold warm easy hard difficult fast quick slow right wrong true real sure different important',
    'possible ready happy sad free full empty safe fun funny simple whole several many much lot enough less least',
    'another every',
    'place home house room door car water food world country city street money problem reason kind sort part side point',
    'fact idea life hand head eye face',
    'really actually maybe perhaps quite almost already still yet even else instead rather together away back around',
    'forward well far near probably along hello hi hey thank thanks ok okay yes',
  ]
    .join(' ')
    .split(' ')
    .map(stemWord),
);

/** Stems of words that occur in requests of any kind. They count, but less than the words around them. */
export const REQUEST_STEMS: ReadonlySet<string> = new Set(
  [
    'help please need want show explain give tell make get let use used using user like know try trying walk work working way',
    'best run running write create add set able new example code skill ask asked task question without within whenever',
    'thing something',
  ]
    .join(' ')
    .split(' ')
    .map(stemWord),
);
