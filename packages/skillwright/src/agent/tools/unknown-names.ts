import { nameNotFound } from '../../catalog/lookup/skill-lookup.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import { shownNames } from '../offer/system-prompt.ts';
import type { SkillsView } from '../offer/skills-view.ts';

const NAMES_SHOWN = 20;
/** Limits names in messages, because a model may send a name of any length. */
const MAX_NAME = 200;
/**
 * Matches tool names that may be listed in an error. The name of a skill's tool may include the skill's name, which may
 * contain any text.
 */
const TOOL_NAME = /^[\p{L}\p{N}_:.-]+$/u;

/**
 * For a failed lookup, returns an error that lists only skills and tools that the model has. Returns other errors
 * unchanged.
 */
export function withShownNames(error: unknown, view: SkillsView, toolNames: () => readonly string[]): unknown {
  if (!SkillInvocationError.isInstance(error)) return error;
  const { skill, tool } = error.data as { skill?: unknown; tool?: unknown };
  if (error.code === 'SkillNotFound' && typeof skill === 'string')
    return notFound('skill', skill, shownNames(view.skills, view.snapshot));
  if (error.code === 'ToolNotFound' && typeof tool === 'string')
    return notFound('tool', tool, toolNames().filter(isShowableTool));
  return error;
}

/** Whether a tool's name may be listed in an error for a model. */
export function isShowableTool(name: string): boolean {
  return TOOL_NAME.test(name);
}

/** The error for a model: it lists more names than a message for a person. */
export function notFound(kind: 'skill' | 'tool', wanted: string, names: readonly string[]): SkillInvocationError {
  return nameNotFound(kind, wanted.slice(0, MAX_NAME), names, { most: NAMES_SHOWN });
}
