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
   * Whether a skill ranks for the current task. `not-asked`: the caller never ranks skills, for example for a list that
   * is made before the first task; then skills of mode `auto` are shown, because nothing would ever add them.
   */
  readonly ranks: ((skill: SkillMetadata) => boolean) | 'not-asked';
}

/**
 * Whether a skill is shown to a model, and every reason against it. Every interface that offers skills uses this
 * function, so that they agree. In addition to visibility, a skill that waits for triggers other than tasks is left to
 * those triggers, unless its mode is `on`.
 */
export function explainOffer(skill: SkillMetadata, { ranks, ...rest }: OfferFacts): Visibility {
  const facts: VisibilityFacts = { ...rest, audience: 'model', ranks: ranks === 'not-asked' ? always : ranks };
  const visibility = explainVisibility(skill, facts);
  if (awaitsTasks(skill) || modeOf(skill, facts) === 'on') return visibility;
  return { ...visibility, visible: false, reasons: [...visibility.reasons, eventsOnly(skill)] };
}

/** Whether a skill is shown to a model if it ranks: the same result without the reasons, which cost more to compute. */
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
