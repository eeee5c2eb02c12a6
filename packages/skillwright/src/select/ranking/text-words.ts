import { stemWord } from './text-stem.ts';

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

/** The commonest such words of Spanish, Portuguese, French, Italian and German, accents folded; none that is an English word. */
const OTHER_LANGUAGES: string = [
  'el los las una unos unas del al que en es y o para por con como mi tu su sus este esta estos estas lo le les se',
  'um uma os dos das na nas ao aos nao e ou mais seu sua meu minha eu voce isso',
  'la le un une du dans est et ou avec ce cette ces mes ses vous nous je il elle ils qui que ne pas',
  'il gli uno di della delle dei nel nella che non e sono questo questa mio mia',
  'der das ein eine einen einem eines und oder ist sind mit von zu zum zur im auf ich wir sie mein meine wie nicht',
].join(' ');

/** Words that are never indexed. */
export const STOP_WORDS: ReadonlySet<string> = wordSet(`${ENGLISH} ${OTHER_LANGUAGES}`);

/** Words that requests of any kind are made of. They count, but less than the words around them; stems. */
export const REQUEST_STEMS: ReadonlySet<string> = new Set(
  [
    'help please need want show give tell make get let use used using user like know try trying walk work working way',
    'best run running write create add set able new example code skill ask asked task question without within whenever',
    'thing something',
  ]
    .join(' ')
    .split(' ')
    .map(stemWord),
);
