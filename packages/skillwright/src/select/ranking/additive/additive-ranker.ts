import type { RankableSkill, RankedSkill, Ranker, RankOptions, RankReason } from '../../../spec/ranker.ts';
import { LEAST_POINTS } from '../cut.ts';
import {
  assertAsyncRanking,
  assertRanking,
  isPlainRanking,
  takeEagerness,
  takeLimit,
  takeMaxSkills,
  takeThreshold,
} from '../rank-options.ts';
import { compareScored } from '../tie-order.ts';

/** The table of points, as documented in docs/reference/ranking.md. */
const POINTS = {
  nameVerbatim: 6,
  nameToken: 2,
  tag: 3,
  descriptionToken: 1,
  backgroundName: 2,
  backgroundTag: 2,
  provider: 2,
} as const;

/** Tags that name the provider that a skill is made for. */
const PROVIDERS: ReadonlySet<string> = new Set(
  'openai anthropic google gemini azure bedrock vertex mistral cohere deepseek groq openrouter xai ollama'.split(' '),
);

/** Shorter tokens, such as "to" or "a", match everything. */
const SHORTEST_TOKEN = 3;
const LONGEST_TEXT = 16_000;

/** The parts of a skill that are scored, lower-cased and split once. */
interface AdditiveSkill {
  readonly skill: RankableSkill;
  readonly name: string;
  readonly nameTokens: readonly string[];
  readonly descriptionTokens: readonly string[];
  readonly tags: readonly string[];
}

/** The task's values that skills are scored against. */
interface AdditiveContext {
  readonly text: string;
  readonly tokens: ReadonlySet<string>;
  readonly background: string;
  readonly backgroundTokens: ReadonlySet<string>;
  readonly provider: string | undefined;
}

/** The points at which the confidence is one half. */
const HALF_POINTS = 12;
/** Approximate memory of one skill's strings and arrays. */
const BYTES_PER_SKILL = 4_000;

/**
 * Ranks by the documented table of points. It compares whole tokens, ignores rarity and does not read bodies: simple
 * enough to predict by hand, and the weaker of the two rankers.
 */
export function createAdditiveRanker(skills: Iterable<RankableSkill>): Ranker {
  const entries = new Map<string, AdditiveSkill>();
  const ranker: Ranker = {
    rank(task, options = {}) {
      assertRanking(task, options);
      return rankByPoints(task, options, entries.values());
    },
    async rankAsync(task, options = {}) {
      assertAsyncRanking(task, options);
      return rankByPoints(task, options, entries.values());
    },
    add(added) {
      for (const skill of added) entries.set(skill.id, toAdditiveSkill(skill));
    },
    remove(ids) {
      for (const id of ids) entries.delete(id);
    },
    setBody: () => {},
    *indexBodies() {},
    get size() {
      return entries.size;
    },
    bodiesIndexed: 0,
    get memoryBytes() {
      return entries.size * BYTES_PER_SKILL;
    },
  };
  ranker.add(skills);
  return ranker;
}

function rankByPoints(task: string, options: RankOptions, entries: Iterable<AdditiveSkill>): RankedSkill[] {
  takeEagerness(options);
  // Everything from `LEAST_POINTS` on is shown, so `cutRanking` would change nothing.
  const limit = isPlainRanking(options) ? takeLimit(options) : takeMaxSkills(options);
  const threshold = takeThreshold(options, LEAST_POINTS);
  const context = toContext(task, options.backgroundReason, options.provider);
  return [...entries]
    .map((entry) => {
      const reasons = scoreAdditive(entry, context);
      return { skill: entry.skill, score: reasons.reduce((sum, { points }) => sum + points, 0), reasons };
    })
    .filter(({ score, skill }) => score >= threshold && score > 0 && (options.isCandidate?.(skill.id) ?? true))
    .sort(compareScored)
    .slice(0, limit)
    .map(({ skill, score, reasons }) => ({ id: skill.id, score, confidence: score / (score + HALF_POINTS), reasons }));
}

function toAdditiveSkill(skill: RankableSkill): AdditiveSkill {
  const { body: _, ...head } = skill;
  return {
    skill: head,
    name: skill.name.trim().toLowerCase(),
    nameTokens: tokensOf(skill.name),
    descriptionTokens: tokensOf(skill.description),
    tags: [...new Set((skill.tags ?? []).map((tag) => tag.trim().toLowerCase()))].filter((tag) => tag !== ''),
  };
}

function toContext(task: string, backgroundReason = '', provider?: string): AdditiveContext {
  const text = task.slice(0, LONGEST_TEXT).toLowerCase();
  const background = backgroundReason.slice(0, LONGEST_TEXT).toLowerCase();
  return {
    text,
    tokens: new Set(tokensOf(text)),
    background,
    backgroundTokens: new Set(tokensOf(background)),
    provider: provider?.trim().toLowerCase(),
  };
}

/** Every rule that gives points, with the words that earned them. */
function scoreAdditive(entry: AdditiveSkill, context: AdditiveContext): RankReason[] {
  const inTask = (token: string): boolean => context.tokens.has(token);
  const rules: readonly [RankReason['rule'], RankReason['field'], readonly string[], number][] = [
    ['name-verbatim', 'name', isVerbatim(entry, context) ? [entry.name] : [], POINTS.nameVerbatim],
    ['name-token', 'name', entry.nameTokens.filter(inTask), POINTS.nameToken],
    ['tag', 'tags', entry.tags.filter((tag) => context.text.includes(tag)), POINTS.tag],
    ['description-token', 'description', entry.descriptionTokens.filter(inTask), POINTS.descriptionToken],
    [
      'background-name',
      'name',
      entry.nameTokens.filter((token) => context.backgroundTokens.has(token)),
      POINTS.backgroundName,
    ],
    ['background-tag', 'tags', entry.tags.filter((tag) => context.background.includes(tag)), POINTS.backgroundTag],
  ];
  const reasons = rules
    .filter(([, , terms]) => terms.length > 0)
    .map(([rule, field, terms, points]) => ({ rule, ...(field && { field }), terms, points: points * terms.length }));
  return [...reasons, ...scoreProvider(entry.tags, context.provider)];
}

function isVerbatim({ name }: AdditiveSkill, { text }: AdditiveContext): boolean {
  return name !== '' && text.includes(name);
}

/** A skill tagged for the request's provider gains points; one tagged only for others loses points. */
function scoreProvider(tags: readonly string[], provider: string | undefined): RankReason[] {
  if (provider === undefined || provider === '') return [];
  const hints = tags.filter((tag) => tag === provider || PROVIDERS.has(tag));
  if (hints.length === 0) return [];
  const points = hints.includes(provider) ? POINTS.provider : -POINTS.provider;
  return [{ rule: 'provider', field: 'tags', terms: hints, points }];
}

function tokensOf(text: string): string[] {
  const words = text
    .slice(0, LONGEST_TEXT)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words)].filter((word) => word.length >= SHORTEST_TOKEN);
}
