import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';
import { chatFunctions } from '../../models/demo/formats/openai-functions.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { auditCalls, type CallFault, type CallStep } from './call-audit.ts';
import type { FormatRequest } from '../server/format-request.ts';
import {
  emptyList,
  functionRefusals,
  invalid,
  MAX_TOOLS,
  missing,
  nameRefusals,
  strayToolOptions,
  tooLong,
  wrongType,
} from './openai-tools.ts';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
const MAX_CALL_ID = 40;
const MAX_DESCRIPTION = 1024;

export function* chatRefusals({ body, strictness }: FormatRequest): Generator<Refusal> {
  const { messages, stream_options: streamOptions } = body;
  if (textOf(body.model) === '') yield invalid('you must provide a model parameter', 'model');
  if (messages === undefined) yield missing('messages');
  else if (!Array.isArray(messages)) yield wrongType('messages', 'an array of objects', messages);
  else if (messages.length === 0) yield emptyList('messages');
  for (const [index, message] of listOf(messages).entries()) yield* messageRefusals(message, `messages[${index}]`);
  const rules = { areAdjacent: true, uniqueIn: 'step', resultOrder: strictness.resultOrder } as const;
  for (const fault of auditCalls(stepsOf(listOf(messages)), rules)) yield toRefusal(fault);
  yield* toolRefusals(body);
  if (isRecord(streamOptions) && body.stream !== true) {
    yield invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
}

function* messageRefusals(message: unknown, param: string): Generator<Refusal> {
  if (!isRecord(message)) {
    yield wrongType(param, 'an object', message);
    return;
  }
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  if (!ROLES.has(role)) {
    const text = `Invalid value: '${textOf(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`;
    yield invalid(text, `${param}.role`, 'invalid_value');
  }
  const isEmpty = content === null || content === undefined;
  if (isEmpty && !(role === 'assistant' && (isRecord(message.audio) || calls !== undefined || isRefused(message)))) {
    yield invalid("Invalid value for 'content': expected a string, got null.", `${param}.content`);
  }
  if (!isEmpty) yield* contentRefusals(content, `${param}.content`);
  if (role === 'tool' && callId === undefined) yield missing(`${param}.tool_call_id`);
  if (calls !== undefined) yield* callRefusals(calls, `${param}.tool_calls`);
}

function isRefused({ refusal }: JsonRecord): boolean {
  return typeof refusal === 'string' && refusal !== '';
}

function* contentRefusals(content: unknown, param: string): Generator<Refusal> {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) {
    yield wrongType(param, 'one of a string or array of objects', content);
    return;
  }
  if (content.length === 0) yield emptyList(param);
  for (const [index, part] of content.entries()) {
    const { type, text } = recordOf(part);
    if (typeof type !== 'string') yield missing(`${param}[${index}].type`);
    if (type === 'text' && typeof text !== 'string') yield missing(`${param}[${index}].text`);
  }
}

function* callRefusals(calls: unknown, param: string): Generator<Refusal> {
  if (!Array.isArray(calls)) yield wrongType(param, 'an array of objects', calls);
  else if (calls.length === 0) yield emptyList(param);
  for (const [index, call] of listOf(calls).entries()) {
    const { id, type, function: called } = recordOf(call);
    const place = `${param}[${index}]`;
    const { name, arguments: argumentsText } = recordOf(called);
    if (typeof id !== 'string') yield missing(`${place}.id`);
    else if (id.length > MAX_CALL_ID) yield tooLong(`${place}.id`, id.length, MAX_CALL_ID);
    if (type === undefined) yield missing(`${place}.type`);
    if (type !== 'function') continue;
    yield* nameRefusals(name, `${place}.function.name`);
    if (typeof argumentsText !== 'string') {
      yield wrongType(`${place}.function.arguments`, 'a string', argumentsText);
    }
  }
}

interface MessageStep extends CallStep {
  /** The index of the step's first message. */
  readonly index: number;
}

/** Consecutive tool messages are one step, because together they answer the calls before them. */
function stepsOf(messages: readonly unknown[]): readonly MessageStep[] {
  const steps: MessageStep[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, tool_calls: calls, tool_call_id: callId } = recordOf(message);
    const last = steps.at(-1);
    const results = role === 'tool' ? [textOf(callId)] : [];
    if (role === 'tool' && last !== undefined && last.results.length > 0) {
      steps[steps.length - 1] = { ...last, results: [...last.results, ...results] };
    } else {
      steps.push({ index, results, calls: listOf(calls).map((call) => textOf(recordOf(call).id)) });
    }
  }
  return steps;
}

function toRefusal({ type, ids }: CallFault): Refusal {
  const listed = ids.join(', ');
  switch (type) {
    case 'unanswered':
      return invalid(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${listed}`,
        'messages',
      );
    case 'unknown-result':
      return invalid(
        `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. No such call: ${listed}`,
        'messages',
      );
    case 'repeated-call':
      return invalid(`Duplicate value for 'tool_calls' id: ${listed}`, 'messages');
    case 'repeated-result':
      return invalid(`Duplicate value for 'tool_call_id' of ${listed}`, 'messages');
    case 'reordered':
      return invalid(`Tool messages do not come in the order of their calls: ${listed}`, 'messages');
  }
}

function* toolRefusals(body: JsonRecord): Generator<Refusal> {
  const { tools } = body;
  if (tools !== undefined && !Array.isArray(tools)) yield wrongType('tools', 'an array of objects', tools);
  if (Array.isArray(tools) && tools.length === 0) yield emptyList('tools');
  if (listOf(tools).length > MAX_TOOLS) {
    const message = `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${listOf(tools).length} instead.`;
    yield invalid(message, 'tools', 'array_above_max_length');
  }
  for (const [index, tool] of listOf(tools).entries()) {
    const { type } = recordOf(tool);
    if (!isRecord(tool)) yield wrongType(`tools[${index}]`, 'an object', tool);
    else if (typeof type !== 'string') yield missing(`tools[${index}].type`);
    else if (type !== 'function' && type !== 'custom') {
      const message = `Invalid value: '${type}'. Supported values are: 'function' and 'custom'.`;
      yield invalid(message, `tools[${index}].type`, 'invalid_value');
    } else if (!isRecord(recordOf(tool)[type])) yield missing(`tools[${index}].${type}`);
  }
  const functions = chatFunctions(body);
  yield* functionRefusals(functions);
  for (const { definition, param } of functions) {
    const { description } = definition;
    const { length } = textOf(description);
    if (description !== undefined && typeof description !== 'string') {
      yield wrongType(`${param}.description`, 'a string', description);
    }
    if (length > MAX_DESCRIPTION) yield tooLong(`${param}.description`, length, MAX_DESCRIPTION);
  }
  yield* strayToolOptions(body);
}
