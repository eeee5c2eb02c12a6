import { closestName } from '../../parse/closest-name.ts';
import { commandOf, taskOf, type TriggerContext } from '../../select/triggers/trigger-context.ts';
import { isCommandTrigger, isTaskTrigger, type FindSkillsOptions } from '../../select/triggers/triggers.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';

/** What happened: fields, or a text that stands for the one that the trigger is about. */
export type FiredContext = TriggerContext | string;

const OPTIONS = ['limit', 'threshold'];

/** The context as fields. Throws `InvalidOptions` if a field that the trigger requires is missing. */
export function readContext(trigger: string, given: unknown): TriggerContext {
  const context = toFields(trigger, given);
  if (isTaskTrigger(trigger) && taskOf(context) === undefined)
    throw invalid('context', `of '${trigger}' must say what is wanted: a text, or { task: 'what the user wants' }`);
  if (isCommandTrigger(trigger) && commandOf(context) === undefined)
    throw invalid('context', `of '${trigger}' must say what was typed: a text, or { command: '/name arguments' }`);
  return context;
}

/** Misuse throws `InvalidOptions`. */
export function readFindOptions(given: unknown): FindSkillsOptions {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null) throw invalid('options', 'must be an object');
  const { limit, threshold } = given as FindSkillsOptions;
  for (const name of Object.keys(given)) {
    if (OPTIONS.includes(name)) continue;
    const guess = closestName(name, OPTIONS);
    throw invalid(
      name,
      `is not known${guess === undefined ? '' : `; did you mean '${guess}'?`}. Options: limit, threshold`,
    );
  }
  if (limit !== undefined && limit !== Infinity && !(Number.isSafeInteger(limit) && limit >= 0))
    throw invalid('limit', `must be a whole number from 0 on, not ${String(limit)}`);
  if (threshold !== undefined && !Number.isFinite(threshold))
    throw invalid('threshold', `must be a number, not ${String(threshold)}`);
  return { limit, threshold };
}

function toFields(trigger: string, given: unknown): TriggerContext {
  if (typeof given === 'object' && given !== null) return given as TriggerContext;
  if (typeof given !== 'string') return {};
  if (isTaskTrigger(trigger)) return { task: given };
  return isCommandTrigger(trigger) ? { command: given } : { message: given };
}

function invalid(option: string, problem: string): SkillwrightError {
  const what = option === 'context' ? 'The context' : option === 'options' ? 'The options' : `Option '${option}'`;
  return new SkillwrightError('InvalidOptions', `${what} ${problem}.`, { data: { option } });
}
