import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';
import { responsesFunctions } from '../../models/demo/formats/openai-functions.ts';
import { inputItems, itemsOf, itemType } from '../../models/demo/formats/openai-responses-items.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { signatureOf } from '../../models/demo/formats/spoken-turn.ts';
import { auditCalls, type CallFault } from './call-audit.ts';
import type { FormatRequest } from '../server/format-request.ts';
import { emptyList, functionRefusals, invalid, missing, nameRefusals, wrongType } from './openai-tools.ts';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);
/** The allowed tool types. Newer types of the provider's own tools have a date after their name. */
const TOOL_TYPES: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'namespace',
  'mcp',
  'file_search',
  'web_search',
  'computer',
  'computer_use',
  'code_interpreter',
  'image_generation',
  'local_shell',
  'shell',
  'apply_patch',
  'tool_search',
]);
const VERSION = /(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;
const ID_PREFIXES: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' };

export function* responsesRefusals(request: FormatRequest): Generator<Refusal> {
  const { body, strictness } = request;
  if (textOf(body.model) === '') yield missing('model');
  yield* inputRefusals(body);
  yield* previousRefusals(request);
  for (const [index, item] of inputItems(body).entries()) yield* itemRefusals(item, `input[${index}]`, request);
  const steps = itemsOf(request).map((item) => ({
    calls: itemType(item) === 'function_call' ? [textOf(item.call_id)] : [],
    results: itemType(item) === 'function_call_output' ? [textOf(item.call_id)] : [],
  }));
  const rules = { areAdjacent: false, uniqueIn: 'conversation', resultOrder: 'any' } as const;
  for (const fault of auditCalls(steps, rules)) yield toRefusal(fault);
  if (strictness.resultOrder === 'calls') yield* orderRefusals(steps);
  if (request.provider === 'own' && strictness.signatures === 'required') yield* reasoningRefusals(request);
  yield* toolRefusals(body);
}

function* inputRefusals({ input, previous_response_id: previous }: JsonRecord): Generator<Refusal> {
  if (input === undefined && previous === undefined) yield missing('input');
  if (input !== undefined && typeof input !== 'string' && !Array.isArray(input)) {
    yield wrongType('input', 'one of a string or array of input items', input);
  }
  if (Array.isArray(input) && input.length === 0 && previous === undefined) yield emptyList('input');
  if (input === '') yield invalid("Invalid 'input': empty string.", 'input', 'invalid_value');
}

function* previousRefusals({ body, provider, memory }: FormatRequest): Generator<Refusal> {
  const { previous_response_id: id } = body;
  if (id === undefined || id === null) return;
  if (provider === 'openrouter') yield invalid('previous_response_id is not supported: requests are stateless.');
  if (memory.conversationOf(textOf(id)) === undefined) {
    const message = `Previous response with id '${textOf(id)}' not found.`;
    yield invalid(message, 'previous_response_id', 'previous_response_not_found');
  }
}

function* itemRefusals(item: JsonRecord, param: string, { provider, memory }: FormatRequest): Generator<Refusal> {
  const type = itemType(item);
  const prefix = ID_PREFIXES[type];
  if (type === '') yield missing(`${param}.type`);
  if (provider === 'own' && prefix !== undefined && typeof item.id === 'string' && !item.id.startsWith(prefix)) {
    const message = `Invalid '${param}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`;
    yield invalid(message, `${param}.id`, 'invalid_value');
  }
  if (type === 'message') yield* messageRefusals(item, param);
  if (type === 'function_call' || type === 'function_call_output') {
    if (typeof item.call_id !== 'string') yield missing(`${param}.call_id`);
    if (item.call_id === '') yield invalid(`Invalid '${param}.call_id': empty string.`, `${param}.call_id`);
  }
  if (type === 'function_call') {
    yield* nameRefusals(item.name, `${param}.name`);
    if (typeof item.arguments !== 'string') yield wrongType(`${param}.arguments`, 'a string', item.arguments);
  }
  if (type === 'function_call_output' && typeof item.output !== 'string' && !Array.isArray(item.output)) {
    if (item.output === undefined) yield missing(`${param}.output`);
    yield wrongType(`${param}.output`, 'one of a string or array of objects', item.output);
  }
  if (type === 'item_reference' && memory.item(textOf(item.id))?.isStored !== true) yield notFound(item, param);
}

function* messageRefusals({ role, content }: JsonRecord, param: string): Generator<Refusal> {
  if (!ROLES.has(role)) {
    const message = `Invalid value: '${textOf(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
    yield invalid(message, `${param}.role`, 'invalid_value');
  }
  if (content === undefined || content === null) yield missing(`${param}.content`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    yield wrongType(`${param}.content`, 'one of a string or array of objects', content);
  }
  for (const [index, part] of listOf(content).entries()) {
    const { type } = recordOf(part);
    const isRight = role === 'assistant' ? type === 'output_text' || type === 'refusal' : type !== 'output_text';
    if (typeof type !== 'string') yield missing(`${param}.content[${index}].type`);
    if (!isRight) {
      const message = `Invalid value: '${textOf(type)}'. Supported values are: ${role === 'assistant' ? "'output_text' and 'refusal'" : "'input_text', 'input_image', and 'input_file'"}.`;
      yield invalid(message, `${param}.content[${index}]`, 'invalid_value');
    }
  }
}

function toRefusal({ type, ids }: CallFault): Refusal {
  const listed = ids.join(', ');
  switch (type) {
    case 'unanswered':
      return invalid(`No tool output found for function call ${ids[0] ?? ''}.`, 'input');
    case 'unknown-result':
      return invalid(`No tool call found for function call output with call_id ${listed}.`, 'input');
    case 'repeated-call':
      return invalid(`Duplicate function call found with call_id ${listed}.`, 'input');
    case 'repeated-result':
      return invalid(`Duplicate function call output found with call_id ${listed}.`, 'input');
    case 'reordered':
      return outOfOrder(listed);
  }
}

function outOfOrder(callId: string): Refusal {
  return invalid(`Function call outputs do not come in the order of their calls: ${callId}.`, 'input');
}

/** In this format, outputs may be anywhere after their calls, but must be in the calls' order. */
function* orderRefusals(
  steps: readonly { calls: readonly string[]; results: readonly string[] }[],
): Generator<Refusal> {
  const calls = steps.flatMap((step) => step.calls);
  let last = -1;
  for (const id of steps.flatMap(({ results }) => results)) {
    const place = calls.indexOf(id);
    if (place < last) yield outOfOrder(id);
    last = place;
  }
}

function notFound({ id }: JsonRecord, param: string): Refusal {
  const hint =
    'Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.';
  return { status: 404, message: `Item with id '${textOf(id)}' not found. ${hint}`, param };
}

/** Reasoning must be sent back with the calls that it led to: as a reference to the stored item, or encrypted. */
function* reasoningRefusals(request: FormatRequest): Generator<Refusal> {
  const items = itemsOf(request);
  const ids = new Set(items.map(({ id }) => id));
  for (const [index, item] of items.entries()) {
    const { id, type } = item;
    const known = request.memory.item(textOf(id));
    const owed = known?.reasoningId;
    if (owed !== undefined && !ids.has(owed)) {
      const message = `Item '${textOf(id)}' of type '${textOf(type)}' was provided without its required 'reasoning' item: '${owed}'.`;
      yield invalid(message, 'input');
    }
    if (type !== 'reasoning') continue;
    if (known === undefined) yield notFound(item, 'input');
    if (known?.isStored === false && !isGenuine(item, known.item)) yield notFound(item, 'input');
    const { role, type: next } = items[index + 1] ?? {};
    if (next !== 'function_call' && next !== 'reasoning' && role !== 'assistant') {
      yield invalid(
        `Item '${textOf(id)}' of type 'reasoning' was provided without its required following item.`,
        'input',
      );
    }
  }
}

function isGenuine({ encrypted_content: encrypted }: JsonRecord, said: JsonRecord): boolean {
  const [summary] = listOf(said.summary).map(recordOf);
  return encrypted === signatureOf(textOf(summary?.text));
}

function isToolType(type: string): boolean {
  return type.startsWith('openrouter:') || TOOL_TYPES.has(type.replace(VERSION, ''));
}

function* toolRefusals(body: JsonRecord): Generator<Refusal> {
  const { tools, tool_choice: choice } = body;
  if (tools !== undefined && !Array.isArray(tools)) yield wrongType('tools', 'an array of objects', tools);
  for (const [index, tool] of listOf(tools).entries()) {
    if (!isRecord(tool)) yield wrongType(`tools[${index}]`, 'an object', tool);
    else if (typeof tool.type !== 'string') yield missing(`tools[${index}].type`);
    else if (!isToolType(tool.type)) {
      yield invalid(`Invalid value: '${tool.type}'.`, `tools[${index}].type`, 'invalid_value');
    }
  }
  const functions = responsesFunctions(body);
  yield* functionRefusals(functions);
  for (const { definition, param } of functions) {
    const { description } = definition;
    if (description !== undefined && description !== null && typeof description !== 'string') {
      yield wrongType(`${param}.description`, 'a string', description);
    }
  }
  if (listOf(tools).length === 0 && (choice === 'required' || isRecord(choice))) {
    yield invalid("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice');
  }
}
