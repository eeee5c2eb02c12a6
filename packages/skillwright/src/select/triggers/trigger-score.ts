import type { SkillMetadata } from '../../spec/skill.ts';
import { contextTexts, type TriggerContext } from './trigger-context.ts';
import type { RankField, RankReason, RankRule } from '../../spec/ranker.ts';

/** How well a skill matches an event, and why. */
interface TriggerScore {
  readonly score: number;
  readonly reasons: readonly string[];
}

/** The words of a context, prepared once for all skills. */
interface ContextWords {
  /** For each field: the words, and runs of neighboring words joined to one. */
  readonly fields: readonly { readonly field: string; readonly runs: ReadonlySet<string> }[];
  readonly keywords: ReadonlySet<string>;
}

/** The words of a skill, prepared once for all contexts. */
export interface SkillWords {
  readonly tags: readonly { readonly tag: string; readonly whole: string; readonly words: readonly string[] }[];
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

const POINTS = Object.freeze({
  /** The skill declares the trigger. */
  declared: 1,
  /** A field of the context contains a whole tag. At most four tags count, so that having many does not win. */
  tag: 3,
  /** A field of the context contains a word of a tag. */
  tagWord: 1,
  /** A field of the context contains a word of the skill's name. */
  nameWord: 1,
  /**
   * A field of the context contains a word of the description or `when_to_use`. At most four count, so that long texts
   * do not win.
   */
  textWord: 0.5,
});

const MAX_TAGS = 4;
const MAX_TEXT_WORDS = 4;
const MAX_REASON_WORDS = 8;

export function contextWords(context: TriggerContext): ContextWords {
  const runs = new Map<string, Set<string>>();
  const keywords = new Set<string>();
  for (const { field, text } of contextTexts(context)) {
    const known = runs.get(field) ?? new Set<string>();
    runs.set(field, known);
    for (const run of runsOf(wordsOf(text))) known.add(run);
    for (const word of keywordsOf(text)) keywords.add(word);
  }
  return { fields: [...runs].map(([field, words]) => ({ field, runs: words })), keywords };
}

export function skillWords(skill: SkillMetadata): SkillWords {
  return {
    tags: (skill.tags ?? []).map((tag) => {
      const words = wordsOf(tag);
      return { tag, whole: words.join(''), words: [...keywordsOf(tag)] };
    }),
    name: keywordsOf(skill.name),
    text: keywordsOf(`${skill.description} ${skill.whenToUse ?? ''}`),
  };
}

/** Points for tags first, then for the words of the name and of the description. */
export function scoreTrigger(trigger: string, skill: SkillWords, context: ContextWords): TriggerScore {
  const name = [...skill.name].filter((word) => context.keywords.has(word));
  const text = [...skill.text].filter((word) => context.keywords.has(word) && !skill.name.has(word));
  const tags = scoreTags(skill, context);
  const points =
    POINTS.declared +
    tags.reduce((sum, tag) => sum + tag.score, 0) +
    name.length * POINTS.nameWord +
    Math.min(text.length, MAX_TEXT_WORDS) * POINTS.textWord;
  const reasons = [
    `declares the trigger '${trigger}'`,
    ...tags.flatMap((tag) => tag.reasons),
    ...(name.length > 0 ? [`its name has ${quoted(name)}`] : []),
    ...(text.length > 0 ? [`its description has ${quoted(text)}`] : []),
  ];
  return { score: points, reasons };
}

/** The best few tags: whole tags before single words. */
function scoreTags({ tags }: SkillWords, { fields, keywords }: ContextWords): TriggerScore[] {
  const scores = tags.flatMap(({ tag, whole, words }): TriggerScore[] => {
    const field = whole === '' ? undefined : fields.find(({ runs }) => runs.has(whole))?.field;
    if (field !== undefined) return [{ score: POINTS.tag, reasons: [`tag '${tag}' is in ${field}`] }];
    const found = words.filter((word) => keywords.has(word));
    return found.length === 0 ? [] : [{ score: POINTS.tagWord, reasons: [`tag '${tag}' has ${quoted(found)}`] }];
  });
  return scores.sort((a, b) => b.score - a.score).slice(0, MAX_TAGS);
}

function quoted(words: readonly string[]): string {
  const shown = words.slice(0, MAX_REASON_WORDS).map((word) => `'${word}'`);
  return [...shown, ...(words.length > shown.length ? ['…'] : [])].join(', ');
}

const SENTENCES: Readonly<Record<RankRule, string>> = {
  words: 'it has words of the task',
  phrase: 'it has words of the task next to each other',
  name: 'the task has words of its name',
  coverage: 'it covers the task',
  'out-of-scope': 'it says that this is out of its scope',
  language: 'it is for another programming language',
  embedding: 'its meaning is similar',
  'embedding-failed': 'the embedder failed, so only words were compared',
  'body-pending': 'its instructions are not indexed yet',
  'name-verbatim': 'its name is in the task word for word',
  'name-token': 'words of its name are in the task',
  tag: 'its tags are in the task',
  'description-token': 'words of its description are in the task',
  'background-name': 'words of its name are in the background reason',
  'background-tag': 'its tags are in the background reason',
  provider: 'its tags name a provider',
};

const HOLDERS: Readonly<Record<RankField, string>> = {
  name: 'its name has',
  description: 'its description has',
  tags: 'its tags have',
  headings: 'its headings have',
  body: 'its instructions have',
};

/** A ranker's reason in words for people: `its description has pdf, tables (+2.1)`. */
export function describeRankReason({ rule, field, terms, points }: RankReason): string {
  const words = terms.join(', ');
  const isHeld = rule === 'words' && field !== undefined && words !== '';
  const sentence = rule === 'coverage' && points < 0 ? 'it covers only part of the task' : SENTENCES[rule];
  const said = isHeld ? `${HOLDERS[field]} ${words}` : words === '' ? sentence : `${sentence}: ${words}`;
  const rounded = Math.round(points * 100) / 100;
  return rounded === 0 ? said : `${said} (${rounded > 0 ? '+' : ''}${rounded})`;
}

/** Words that say nothing about the topic of a text. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can cannot could did do does for from had has have how if in into is it its
  me more must my no nor not of on only or our please should so some such than that the their them then there these they
  this to up use used uses using was we were what when where which while who why will with without would you your`.split(
    /\s+/,
  ),
);

const MAX_WORDS = 1_000;
/** How many neighboring words are also read as one: `FileSystem` is also `filesystem`. */
const MAX_RUN = 4;

/**
 * The words of a text in lower case, with identifiers split: `listFiles`, `list_files` and `list-files` are two words.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [identifier] of text.normalize('NFKC').matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    for (const word of splitIdentifier(identifier)) {
      words.push(word.toLowerCase());
      if (words.length === MAX_WORDS) return words;
    }
  }
  return words;
}

/** The meaningful words, each once. */
function keywordsOf(text: string): Set<string> {
  return new Set(wordsOf(text).filter((word) => isMeaningful(word)));
}

/** Every word, and every short run of neighboring words joined to one. */
function runsOf(words: readonly string[]): Set<string> {
  const runs = new Set<string>();
  for (let start = 0; start < words.length; start += 1) {
    let run = '';
    for (let end = start; end < Math.min(words.length, start + MAX_RUN); end += 1) {
      run += words[end] ?? '';
      runs.add(run);
    }
  }
  return runs;
}

function isMeaningful(word: string): boolean {
  return (word.length > 1 || /[^\0-\x7f]/.test(word)) && !EMPTY_WORDS.has(word);
}

/** Splits `HTTPServerName` into HTTP, Server and Name. */
function splitIdentifier(identifier: string): string[] {
  if (!/\p{Lu}/u.test(identifier)) return [identifier];
  return identifier.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}
