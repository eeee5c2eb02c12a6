import { fillArgument } from './task/arguments.ts';
import { objectsIn, type WrittenObject } from './task/objects.ts';
import type { Step } from './progress.ts';
import type { Task } from './task/task.ts';
import type { OfferedTool } from './formats/conversation.ts';
import { isRecord, jsonType, listOf, recordOf, textOf, type JsonRecord } from './formats/json-values.ts';

/** A tool and the arguments to call it with. */
export interface ToolUse {
  readonly name: string;
  readonly arguments: JsonRecord;
}

const PLACEHOLDER = /^(?:…|\.{3}|<[^<>]*>)$/;

/**
 * The corrected call that an error's example shows. The call keeps the arguments that were sent before and uses the
 * task's values, if the result differs from the failed call; otherwise it follows the example. `undefined` if there is
 * no example, or if the call would repeat the failed call.
 */
export function correctedCall(
  failed: Step,
  tools: readonly OfferedTool[],
  { task, made }: { readonly task: Task; readonly made: ReadonlySet<string> },
): ToolUse | undefined {
  for (const object of objectsIn(failed.result?.text ?? '')) {
    const shown = callIn(object, failed, tools);
    if (shown === undefined) continue;
    const schema = tools.find(({ name }) => name === shown.name)?.schema;
    const kept = keepSent(shown.arguments, failed.arguments);
    const call = [kept, shown.arguments]
      .map((values) => ({ name: shown.name, arguments: withoutPlaceholders(values, schema, task) }))
      .find((item) => isWhole(item.arguments, schema) && !made.has(callKey(item)));
    if (call !== undefined) return call;
  }
  return undefined;
}

/** A key that is the same for the same call. */
export function callKey({ name, arguments: values }: ToolUse): string {
  return JSON.stringify([name, Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function callIn({ value, calledBy }: WrittenObject, failed: Step, tools: readonly OfferedTool[]): ToolUse | undefined {
  const name = textOf(value.tool_name) || textOf(value.tool) || textOf(value.name);
  const wrapped = [value.arguments, value.args, value.input, value.parameters].find(isRecord);
  if (tools.some((tool) => tool.name === name) && wrapped !== undefined) return { name, arguments: wrapped };
  const tool = tools.find((item) => item.name === (calledBy === '' ? failed.name : calledBy));
  if (tool === undefined || !isWhole(value, tool.schema)) return undefined;
  const known = recordOf(recordOf(tool.schema).properties);
  return Object.keys(value).every((key) => Object.hasOwn(known, key))
    ? { name: tool.name, arguments: value }
    : undefined;
}

/** Keeps the sent values, unless the example shows another type for them. */
function keepSent(shown: JsonRecord, sent: JsonRecord): JsonRecord {
  const kept = Object.entries(sent).filter(([key, value]) => jsonType(shown[key]) === jsonType(value));
  return { ...shown, ...Object.fromEntries(kept) };
}

function withoutPlaceholders(values: JsonRecord, schema: unknown, task: Task): JsonRecord {
  const filled = Object.entries(values).map(([key, value]) => {
    const isOpen = typeof value === 'string' && PLACEHOLDER.test(value);
    return [key, isOpen ? fillArgument(schema, key, task) : value] as const;
  });
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function isWhole(values: JsonRecord, schema: unknown): boolean {
  return listOf(recordOf(schema).required).every((name) => Object.hasOwn(values, String(name)));
}
