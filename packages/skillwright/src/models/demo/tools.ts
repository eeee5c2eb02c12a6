import { isReservedName } from '../../agent/offer/meta-tools.ts';
import { createRanker } from '../../select/ranking/create-ranker.ts';
import { fillArguments } from './task/arguments.ts';
import { isTelling } from './candidates.ts';
import type { ToolUse } from './correction.ts';
import type { OfferedSkill } from './skills.ts';
import { wordsOf, type Task } from './task/task.ts';
import type { OfferedTool } from './formats/conversation.ts';
import { listOf, recordOf, textOf } from './formats/json-values.ts';

const MIN_CONFIDENCE = 0.04;
const TOOLS_NAMED = 5;
/** Names of a parameter that accepts any text. */
const ANY_TEXT = new Set(['text', 'string', 'input', 'query', 'content', 'message', 'prompt', 'question', 'q']);

/**
 * The tool for a task without a matching skill, with its arguments. The task must mention a word of the tool's name and
 * provide all required arguments, at least one. Otherwise `undefined`: a tool without arguments is called only by its
 * name.
 */
export function fittingTool(task: Task, tools: readonly OfferedTool[]): ToolUse | undefined {
  const said = new Set(wordsOf(task.words).filter(isTelling));
  const known = callable(tools).filter(({ name }) => wordsOf(name).some((word) => said.has(word)));
  if (known.length === 0) return undefined;
  const ranker = createRanker(known.map(({ name, description }) => ({ id: name, name, description })));
  const [best] = ranker.rank(task.words, { limit: 1, threshold: MIN_CONFIDENCE });
  const tool = known.find(({ name }) => name === best?.id);
  const values = tool === undefined ? undefined : argumentsFor(tool, task);
  return tool === undefined || values === undefined ? undefined : { name: tool.name, arguments: values };
}

/**
 * Whether the task contains the tool's whole name and the skill does not mention it: then the user means the tool, and
 * it does not belong to the skill.
 */
export function isMeantBefore(tool: ToolUse, { name, description }: OfferedSkill, task: Task): boolean {
  const wanted = wordsOf(tool.name).filter(isTelling);
  const said = new Set(wordsOf(task.words));
  const spoken = new Set(wordsOf(`${name} ${description}`));
  return wanted.length > 1 && wanted.every((word) => said.has(word)) && !wanted.every((word) => spoken.has(word));
}

/** Lists the available tools for a user whose task matches none; empty if there are none. */
export function tellTools(tools: readonly OfferedTool[]): string {
  const names = callable(tools).map(({ name }) => `\`${name}\``);
  if (names.length === 0) return '';
  const more = names.length > TOOLS_NAMED ? ` and ${names.length - TOOLS_NAMED} more` : '';
  const isOne = names.length === 1;
  return `I have the tool${isOne ? '' : 's'} ${names.slice(0, TOOLS_NAMED).join(', ')}${more}. Name ${isOne ? 'it' : 'one'} and I call it.`;
}

function callable(tools: readonly OfferedTool[]): readonly OfferedTool[] {
  return tools.filter(({ name }) => name !== '' && !isReservedName(name));
}

function argumentsFor(tool: OfferedTool, task: Task): ToolUse['arguments'] | undefined {
  const required = listOf(recordOf(tool.schema).required);
  if (required.length === 0) return undefined;
  const { values, missing, left } = fillArguments(tool.schema, task);
  if (missing.length === 0) return left === 0 ? values : undefined;
  const [field] = missing;
  const rest = required.length === 1 && field !== undefined && isAnyText(tool, field) ? restOf(task, tool) : '';
  return rest === '' ? undefined : { ...values, [String(field)]: rest };
}

function isAnyText({ schema }: OfferedTool, field: string): boolean {
  const { type } = recordOf(recordOf(recordOf(schema).properties)[field]);
  return textOf(type).toLowerCase() === 'string' && ANY_TEXT.has(field.toLowerCase());
}

/** The text after the last word that the tool mentions, without leading small words. */
function restOf({ words }: Task, { name, description }: OfferedTool): string {
  const spoken = new Set(wordsOf(`${name} ${description}`).filter(isTelling));
  const tokens = words.split(/\s+/);
  const last = tokens.findLastIndex((token) => wordsOf(token).some((word) => spoken.has(word)));
  const after = tokens.slice(last + 1);
  const start = after.findIndex((token) => wordsOf(token).some(isTelling));
  return start === -1
    ? ''
    : after
        .slice(start)
        .join(' ')
        .replace(/[?!.,;:]+$/, '');
}
