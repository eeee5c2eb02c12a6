import {
  explainVisibility,
  modeOf,
  visible,
  type Visibility,
  type VisibilityFacts,
  type VisibilityReason,
} from '../../policy/visibility/visibility.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { awaitsTasks } from '../triggers/triggers.ts';

export interface OfferFacts extends Omit<VisibilityFacts, 'audience' | 'ranks'> {
  /**
   * Whether a skill ranks for the task at hand. `not-asked`: the caller never ranks the skills, as for a list that
   * is made before the first task; skills of mode `auto` are shown there, because nothing would ever bring them up.
   */
  readonly ranks: ((skill: SkillMetadata) => boolean) | 'not-asked';
}

/**
 * Whether a skill is put before a model, and everything that speaks against it. Every surface that offers skills asks
 * here, so that they agree: on top of what makes a skill visible, one that waits for other events than tasks is left to
 * those events, unless its mode is `on`.
 */
export function explainOffer(skill: SkillMetadata, { ranks, ...rest }: OfferFacts): Visibility {
  const facts: VisibilityFacts = { ...rest, audience: 'model', ranks: ranks === 'not-asked' ? always : ranks };
  const visibility = explainVisibility(skill, facts);
  if (awaitsTasks(skill) || modeOf(skill, facts) === 'on') return visibility;
  return { ...visibility, visible: false, reasons: [...visibility.reasons, eventsOnly(skill)] };
}

/** Whether a skill is put before a model if it ranks: the same without the reasons, which cost more than the answer. */
export function isOfferable(skill: SkillMetadata, facts: Omit<OfferFacts, 'ranks'>): boolean {
  if (!awaitsTasks(skill) && modeOf(skill, facts) !== 'on') return false;
  return visible(skill, { ...facts, audience: 'model', ranks: always });
}

const EVENTS_SHOWN = 5;

function eventsOnly({ triggers = [] }: SkillMetadata): VisibilityReason {
  const events = triggers.slice(0, EVENTS_SHOWN).map((event) => event.slice(0, 100));
  const sentence =
    events.length === 0
      ? 'Its list of triggers is empty, so nothing triggers it. Remove the field, or add task_match.'
      : `Only ${events.join(', ')} triggers it, not tasks. Add task_match to its triggers to change that.`;
  return { rule: 'triggers', sentence };
}

const always = (): boolean => true;
