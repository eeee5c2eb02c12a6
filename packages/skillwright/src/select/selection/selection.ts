import type { Visibility, VisibilityFacts } from '../../policy/visibility/visibility.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { RankForTask } from './for-task.ts';
import { injectedSkills, type InjectedSkill } from './injected-skills.ts';
import type { ListedSkill, Listing, ListingCut } from '../listing/listing.ts';
import type { ListingSession } from '../listing/listing-session.ts';
import { explainOffer } from './selection-offer.ts';

/** What a selection is made from: the skills, the task, and the conversation's listing. */
export interface SelectionInput {
  /** Every skill there is, highest precedence first. */
  readonly skills: readonly SkillMetadata[];
  /** The conversation's listing; it is updated. */
  readonly session: ListingSession;
  /** What the user wants now. Without it nothing ranks. */
  readonly task?: string | undefined;
  /** Ranks skills by name. */
  readonly rank?: RankForTask | undefined;
  /** How many skills may rank for one task. Default 5. */
  readonly limit?: number | undefined;
  /** What else decides whether a skill is shown to the model. */
  readonly facts?: Omit<VisibilityFacts, 'audience' | 'ranks'> | undefined;
}

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

/** Why a skill was put before the model, or was not. */
export interface SelectionReason {
  readonly name: string;
  readonly state: 'injected' | 'withheld';
  readonly reasons: readonly string[];
}

/** Decides what a model is shown now: who is visible, who ranks, and what of them fits into the listing. */
export function selectSkills(input: SelectionInput): Selection {
  const injected = injectedSkills(input);
  const ranked = new Set(injected.flatMap(({ skill, mode }) => (mode === 'on' ? [] : [skill])));
  const offer = { ...input.facts, ranks: (skill: SkillMetadata) => ranked.has(skill) };
  const states = input.skills.map((skill) => ({ skill, ...explainOffer(skill, offer) }));
  const withheld = states.filter((state) => !state.visible);
  const listing = input.session.update(
    states.filter(({ callable }) => callable).map(({ skill }) => skill),
    {
      preferred: [...ranked].map(({ name }) => name),
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

/** Held back only because it does not rank: another task may need it. */
function isOnlyUnranked({ reasons }: SkillState): boolean {
  return reasons.every(({ rule }) => rule === 'mode-auto');
}
