import type { Visibility, VisibilityFacts } from '../../policy/visibility/visibility.ts';
import type { RankedSkill, RankOptions } from '../../spec/ranker.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { alwaysThere, rankedHigh, type InjectedSkill } from './injected-skill.ts';
import type { ListedSkill, Listing, ListingCut } from '../listing/listing.ts';
import type { ListingSession } from '../listing/listing-session.ts';
import { explainOffer } from './selection-offer.ts';
import { MAX_TASK_MATCHES } from '../triggers/triggers.ts';

export interface SelectionInput {
  /** Every skill there is, highest precedence first. */
  readonly skills: readonly SkillMetadata[];
  /** The conversation's listing; it is updated. */
  readonly session: ListingSession;
  /** What the user wants now. Without it nothing ranks. */
  readonly task?: string | undefined;
  /**
   * Ranks skills for a task, best first, by name; those that do not fit are left out. One that knows `isCandidate`, as
   * `createRanker`'s does, lets no hidden skill decide whether others fit; the limit leaves room for one that does not.
   */
  readonly rank?: ((task: string, options: TaskRankOptions) => readonly RankedSkill[]) | undefined;
  /** How many skills may rank for one task. Default 5. */
  readonly limit?: number | undefined;
  /** What else decides whether a skill is shown to the model. */
  readonly facts?: Omit<VisibilityFacts, 'audience' | 'ranks'> | undefined;
}

type TaskRankOptions = { readonly limit: number } & Required<Pick<RankOptions, 'isCandidate'>>;

/** The skills for this moment of a conversation, and why these. */
export interface Selection {
  readonly listing: Listing;
  /** What the model is shown, in order, with everything it was shown before. */
  readonly listed: readonly ListedSkill[];
  /** What is put before the model as it is: skills that are `on`, then those that rank for the task, best first. */
  readonly injected: readonly InjectedSkill[];
  /** One for every skill that is injected or withheld. */
  readonly reasons: readonly SelectionReason[];
  readonly cut: readonly ListingCut[];
  /** Whether a search would find something that is not listed. */
  readonly needsSearch: boolean;
}

export interface SelectionReason {
  readonly name: string;
  readonly state: 'injected' | 'withheld';
  readonly reasons: readonly string[];
}

/** As if every skill ranked. */
function eligibleSkills({ skills, facts }: Omit<SelectionInput, 'session'>): readonly SkillState[] {
  const offer = { ...facts, ranks: () => true };
  return skills.map((skill) => ({ skill, ...explainOffer(skill, offer) }));
}

/** Decides what a model is shown now: who is visible, who ranks, and what of them fits into the listing. */
export function selectSkills(input: SelectionInput): Selection {
  const eligible = eligibleSkills(input);
  const ranked = rankEligible(eligible, input);
  const states = eligible.map((state) =>
    state.mode !== 'auto' || ranked.has(state.skill.name)
      ? state
      : { skill: state.skill, ...explainOffer(state.skill, { ...input.facts, ranks: () => false }) },
  );
  const injected = [...alwaysInjected(states), ...ranked.values()];
  const withheld = states.filter((state) => !state.visible);
  const listing = input.session.update(
    states.filter(({ callable }) => callable).map(({ skill }) => skill),
    {
      preferred: [...ranked.keys()],
      pinned: new Set(states.filter(isPinned).map(({ skill }) => skill.name)),
      held: new Set(withheld.map(({ skill }) => skill.name)),
    },
  );
  return {
    listing,
    listed: listing.shown,
    injected,
    reasons: [
      ...injected.map(({ skill, reasons }) => ({ name: skill.name, state: 'injected' as const, reasons })),
      ...withheld.map(({ skill, reasons }) => ({
        name: skill.name,
        state: 'withheld' as const,
        reasons: reasons.map(({ sentence }) => sentence),
      })),
    ],
    cut: listing.cut,
    needsSearch: listing.needsSearch || withheld.some(isOnlyUnranked),
  };
}

type SkillState = Visibility & { readonly skill: SkillMetadata };

function isPinned({ visible, mode }: SkillState): boolean {
  return visible && mode === 'on';
}

/** Held back for want of rank alone: another task may need it. */
function isOnlyUnranked({ reasons }: SkillState): boolean {
  return reasons.every(({ rule }) => rule === 'mode-auto');
}

function alwaysInjected(states: readonly SkillState[]): InjectedSkill[] {
  return states.filter(isPinned).map(({ skill }) => alwaysThere(skill));
}

/** The best skills that nothing else keeps from being shown. Those that are always there take no place from others. */
function rankEligible(
  states: readonly SkillState[],
  { task, rank, limit = MAX_TASK_MATCHES }: Omit<SelectionInput, 'session'>,
): Map<string, InjectedSkill> {
  const ranked = new Map<string, InjectedSkill>();
  if (rank === undefined || task === undefined || task.trim() === '') return ranked;
  const rankable = new Map<string, SkillMetadata>();
  for (const { skill, visible, mode } of states) if (visible && mode !== 'on') rankable.set(skill.name, skill);
  const isCandidate = (id: string): boolean => rankable.has(id);
  for (const found of rank(task, { limit: limit + states.length - rankable.size, isCandidate })) {
    const skill = rankable.get(found.id);
    if (skill === undefined || ranked.size >= limit) continue;
    ranked.set(found.id, rankedHigh(skill, found));
  }
  return ranked;
}
