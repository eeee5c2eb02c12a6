import type { SkillMetadata } from '../../spec/skill.ts';
import { contextTexts, type TriggerContext } from './trigger-context.ts';
import { keywordsOf, runsOf, wordsOf } from './trigger-words.ts';

/** How well a skill fits what happened, and why. */
export interface TriggerScore {
  readonly score: number;
  readonly reasons: readonly string[];
}

/** What a context says, prepared once for all skills. */
export interface ContextWords {
  /** By field: the words, and neighboring words as one. */
  readonly fields: readonly { readonly field: string; readonly runs: ReadonlySet<string> }[];
  readonly keywords: ReadonlySet<string>;
}

/** What a skill says, prepared once for all contexts. */
export interface SkillWords {
  readonly tags: readonly { readonly tag: string; readonly whole: string; readonly words: readonly string[] }[];
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

const POINTS = Object.freeze({
  /** The skill declares the trigger. */
  declared: 1,
  /** A whole tag stands in a field of the context. At most four tags count, so that many do not win by number. */
  tag: 3,
  /** A word of a tag does. */
  tagWord: 1,
  /** A word of the name does. */
  nameWord: 1,
  /** A word of the description or `when_to_use` does; at most four count, so that long texts do not win by length. */
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

/** The best few tags: whole ones before words of one. */
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
