import { type Visibility, type VisibilityFacts, modeOf } from '../../policy/visibility/visibility.ts';
import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import type { ListedSkill, Listing, ListingCut, ListingSession } from '../listing/listing.ts';
import { explainOffer, isOfferable } from './selection-offer.ts';
import type { CutOptions, RankedSkill, RankOptions } from '../../spec/ranker.ts';
import { MAX_TASK_MATCHES } from '../triggers/triggers.ts';
import { describeRankReason } from '../triggers/trigger-score.ts';

/**
 * The input of a selection: the skills, the task, and the conversation's listing. Which skills rank for the task, and
 * how many, follows from `maxSkills` and `eagerness`.
 */
export interface SelectionInput extends CutOptions {
  /** All skills, highest precedence first. */
  readonly skills: readonly SkillMetadata[];
  /** The conversation's listing, which is updated. */
  readonly session: ListingSession;
  /** The user's current task. Without it, no skill ranks. */
  readonly task?: string | undefined;
  /** Ranks skills for a task. The id of a skill is its name. */
  readonly rank?: RankForTask | undefined;
  /** Takes this many skills of the plain ranking, however unlikely they are to fit. Default: `maxSkills` decides. */
  readonly limit?: number | undefined;
  /** The other facts that decide whether a skill is shown to the model. */
  readonly facts?: Omit<VisibilityFacts, 'audience' | 'ranks'> | undefined;
}

/** The skills to show the model at this moment of a conversation, and the reasons. */
export interface Selection {
  readonly listing: Listing;
  /** The listed skills, in order, including all that the model was shown before. */
  readonly listed: readonly ListedSkill[];
  /** The skills to add in full: those with mode `on`, then those that rank for the task, best first. */
  readonly injected: readonly InjectedSkill[];
  /** One entry for every skill that is injected or withheld. */
  readonly reasons: readonly SelectionReason[];
  readonly cut: readonly ListingCut[];
  /** Whether a search would find something that is not listed. */
  readonly needsSearch: boolean;
}

/** Why a skill was shown to the model or not. */
export interface SelectionReason {
  readonly name: string;
  readonly state: 'injected' | 'withheld';
  readonly reasons: readonly string[];
}

/** Decides what to show a model now: which skills are visible, which rank, and which fit into the listing. */
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

/** Whether a skill is held back only because it does not rank: another task may need it. */
function isOnlyUnranked({ reasons }: SkillState): boolean {
  return reasons.every(({ rule }) => rule === 'mode-auto');
}

/**
 * Ranks for a task, best first, by id, without skills that do not match. A ranker that supports `isCandidate`, like
 * `createRanker`'s, ignores all other skills; any other ranker must return more results.
 */
type RankForTask = (
  task: string,
  options: CutOptions & Pick<RankOptions, 'limit'> & Required<Pick<RankOptions, 'isCandidate'>>,
) => readonly RankedSkill[];

/** The items to select from. */
interface TaskCandidates<Item> extends CutOptions {
  readonly all: readonly Item[];
  /** Looks up an item by the ranker's id. */
  readonly find: (id: string) => Item | undefined;
  /** `on`: always selected. `off`: never. Otherwise: selected if it ranks for the task. */
  readonly modeOf: (item: Item) => SkillMode | undefined;
  /** Whether only the task and the mode can hold an item back. Default: always true. */
  readonly isOfferable?: ((item: Item) => boolean) | undefined;
  /** The user's current task. Without it, no item ranks. */
  readonly task: string | undefined;
  readonly rank: RankForTask | undefined;
  /** Takes this many of the plain ranking, not counting those that are always selected. Default: `maxSkills`. */
  readonly limit?: number | undefined;
}

interface SelectedForTask<Item> {
  readonly item: Item;
  /** The item's ranking; `undefined` for an item that is always selected. */
  readonly ranked: RankedSkill | undefined;
}

/**
 * The one rule for what a model is shown for a task: everything with mode `on`, then what ranks, best first. It does
 * not visit skills that do not rank, except for their mode, because there may be thousands.
 */
export function selectForTask<Item>(candidates: TaskCandidates<Item>): readonly SelectedForTask<Item>[] {
  const { all, modeOf: mode, isOfferable: mayOffer = () => true } = candidates;
  const always = all.filter((item) => mode(item) === 'on' && mayOffer(item));
  return [...always.map((item) => ({ item, ranked: undefined })), ...selectRanked(candidates)];
}

function selectRanked<Item>(candidates: TaskCandidates<Item>): readonly SelectedForTask<Item>[] {
  const { find, isOfferable: mayOffer = () => true, task, rank, limit, maxSkills, eagerness } = candidates;
  if (rank === undefined || task === undefined || task.trim() === '') return [];
  const candidateOf = (id: string): Item | undefined => {
    const item = find(id);
    const mode = item && candidates.modeOf(item);
    return item === undefined || mode === 'on' || mode === 'off' || !mayOffer(item) ? undefined : item;
  };
  const most = limit ?? maxSkills ?? MAX_TASK_MATCHES;
  const isCandidate = (id: string): boolean => candidateOf(id) !== undefined;
  for (let room = most; ; room *= 2) {
    const found = rank(task, {
      ...(limit === undefined ? { maxSkills: room, eagerness } : { limit: room }),
      isCandidate,
    });
    const fitting = found.flatMap((ranked) => {
      const item = candidateOf(ranked.id);
      return item === undefined ? [] : [{ item, ranked }];
    });
    // A ranker that ignores `isCandidate` may have filled the results with other skills.
    if (fitting.length >= most || found.length < room) return fitting.slice(0, most);
  }
}

/** A skill that is shown to a model, and why. */
export interface InjectedSkill {
  readonly skill: SkillMetadata;
  readonly mode: SkillMode;
  /** From the ranker; absent for a skill with mode `on`. */
  readonly score?: number;
  readonly reasons: readonly string[];
}

const ALWAYS_THERE = ["Its mode is 'on', so it is always included."];

/** The skills to add in full, without a listing: those with mode `on`, then those that rank, best first. */
export function injectedSkills(input: Omit<SelectionInput, 'session'>): readonly InjectedSkill[] {
  const { skills, facts = {}, task, rank, limit, maxSkills, eagerness } = input;
  const selected = selectForTask<SkillMetadata>({
    all: skills,
    find: (name) => namesOf(skills).get(name),
    modeOf: (skill) => modeOf(skill, facts),
    isOfferable: (skill) => isOfferable(skill, facts),
    task,
    rank,
    limit,
    maxSkills,
    eagerness,
  });
  return selected.map(({ item: skill, ranked }): InjectedSkill =>
    ranked === undefined
      ? { skill, mode: 'on', reasons: ALWAYS_THERE }
      : { skill, mode: 'auto', score: ranked.score, reasons: ranked.reasons.map(describeRankReason) },
  );
}

/** Skills by name, cached by the list of skills, which never changes. */
const NAMES = new WeakMap<readonly SkillMetadata[], ReadonlyMap<string, SkillMetadata>>();

function namesOf(skills: readonly SkillMetadata[]): ReadonlyMap<string, SkillMetadata> {
  const known = NAMES.get(skills) ?? new Map(skills.map((skill) => [skill.name, skill]));
  NAMES.set(skills, known);
  return known;
}
