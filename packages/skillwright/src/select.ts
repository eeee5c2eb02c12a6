// `skillwright/select`: which skills a model is shown, and why.
import { assertNodeVersion } from './process/node-version.ts';

// Selects everything for one moment of a conversation.
export {
  selectSkills,
  type Selection,
  type SelectionInput,
  type SelectionReason,
} from './select/selection/selection.ts';
export { selectForTask } from './select/selection/selection.ts';
export type { InjectedSkill } from './select/selection/selection.ts';
export {
  cutRanking,
  describeCut,
  type CutReason,
  type RankingCut,
  type RankingCutOptions,
} from './select/ranking/cut.ts';

// Visibility of skills.
export {
  chooseSkills,
  type AgentSkills,
  type SkillChoiceOptions,
  type UnknownChoice,
} from './policy/visibility/skill-choice.ts';
export {
  explainVisibility,
  type Visibility,
  type VisibilityFacts,
  type VisibilityReason,
  type VisibilityRule,
} from './policy/visibility/visibility.ts';
export type { HostFacts } from './policy/requirements.ts';

// The list that a model reads.
export {
  createListing,
  type ListedSkill,
  type Listing,
  type ListingCut,
  type ListingPreference,
} from './select/listing/listing.ts';
export { createListingSession, type ListingSession } from './select/listing/listing.ts';
export type { ListingOptions } from './select/listing/listing-options.ts';
export type { ListingLevel } from './select/listing/listing-text.ts';
export type { CountTokens } from './select/listing/token-estimate.ts';

assertNodeVersion();
