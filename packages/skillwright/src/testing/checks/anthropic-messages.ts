import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../../models/demo/formats/json-values.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { signatureOf } from '../../models/demo/formats/spoken-turn.ts';
import type { FormatRequest } from '../server/format-request.ts';
import { auditCalls, type CallFault } from './call-audit.ts';
import { schemaFaults } from './schema-check.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
/** Matches the allowed tool types. The types of the provider's own tools end with a date. */
const TOOL_TYPE = /^(?:custom|mcp_toolset|[a-z][a-z_]*_\d{8})$/;
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

function refuse(message: string): Refusal {
  return { status: 400, message };
}

export function* messagesRefusals(request: FormatRequest): Generator<Refusal> {
  const { body, headers, strictness } = request;
  if (headers['anthropic-version'] === undefined) yield refuse('anthropic-version: header is required');
  for (const field of ['model', 'max_tokens', 'messages']) {
    if (body[field] === undefined) yield refuse(`${field}: Field required`);
  }
  if (!Number.isInteger(body.max_tokens)) yield refuse('max_tokens: Input should be a valid integer');
  if (Number(body.max_tokens) < 1) yield refuse('max_tokens: Input should be greater than or equal to 1');
  if (!Array.isArray(body.messages)) yield refuse('messages: Input should be a valid list');
  if (listOf(body.messages).length === 0) yield refuse('messages: at least one message is required');
  const messages = listOf(body.messages).map(recordOf);
  if (messages[0]?.role === 'assistant') yield refuse('messages: first message must use the "user" role');
  for (const [index, message] of messages.entries()) {
    yield* messageRefusals(message, `messages.${index}`, index === messages.length - 1);
  }
  const rules = { areAdjacent: true, uniqueIn: 'conversation', resultOrder: strictness.resultOrder } as const;
  for (const fault of auditCalls(messages.map(stepOf), rules)) yield toRefusal(fault);
  if (strictness.signatures === 'required') yield* thinkingRefusals(messages, request);
  yield* toolRefusals(body);
}

function* messageRefusals(message: JsonRecord, at: string, isLast: boolean): Generator<Refusal> {
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    yield refuse(`${at}.role: Input should be 'user' or 'assistant'`);
  }
  if (content === undefined) yield refuse(`${at}.content: Field required`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    yield refuse(`${at}.content: Input should be a valid string or list`);
  }
  const isEmpty = content === '' || listOf(content).length + textOf(content).length === 0;
  if (isEmpty && !(isLast && role === 'assistant')) {
    yield refuse(`${at}: all messages must have non-empty content except for the optional final assistant message`);
  }
  const blocks = listOf(content).map(recordOf);
  for (const [index, block] of blocks.entries()) yield* blockRefusals(block, `${at}.content.${index}`, role);
  const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
  const late = blocks.findLastIndex(({ type }) => type === 'tool_result');
  if (role === 'user' && firstOther !== -1 && late > firstOther) {
    yield refuse(`${at}.content.${late}: \`tool_result\` blocks must come before all other content of the message`);
  }
}

function* blockRefusals(block: JsonRecord, at: string, role: unknown): Generator<Refusal> {
  const { type } = block;
  if (typeof type !== 'string') yield refuse(`${at}.type: Field required`);
  if (type === 'text') {
    if (typeof block.text !== 'string') yield refuse(`${at}.text.text: Field required`);
    if (textOf(block.text).trim() === '') yield refuse('messages: text content blocks must be non-empty');
  }
  if (type === 'tool_use') yield* toolUseRefusals(block, at, role);
  if (type === 'tool_result') yield* toolResultRefusals(block, at, role);
}

function* toolUseRefusals({ id, name, input }: JsonRecord, at: string, role: unknown): Generator<Refusal> {
  if (role !== 'assistant') yield refuse(`${at}: \`tool_use\` blocks can only be in \`assistant\` messages`);
  if (typeof id !== 'string') yield refuse(`${at}.tool_use.id: Field required`);
  if (!CALL_ID.test(textOf(id))) yield refuse(`${at}.tool_use.id: String should match pattern '${CALL_ID.source}'`);
  if (!NAME.test(textOf(name))) yield refuse(`${at}.tool_use.name: String should match pattern '${NAME.source}'`);
  if (!isRecord(input)) yield refuse(`${at}.tool_use.input: Input should be a valid dictionary`);
}

function* toolResultRefusals({ tool_use_id: id, content }: JsonRecord, at: string, role: unknown): Generator<Refusal> {
  if (role !== 'user') yield refuse(`${at}: \`tool_result\` blocks can only be in \`user\` messages`);
  if (typeof id !== 'string') yield refuse(`${at}.tool_result.tool_use_id: Field required`);
  if (content !== undefined && typeof content !== 'string' && !Array.isArray(content)) {
    yield refuse(`${at}.tool_result.content: Input should be a valid string or list`);
  }
  for (const [index, part] of listOf(content).entries()) {
    const { type, text } = recordOf(part);
    if (typeof type !== 'string') yield refuse(`${at}.tool_result.content.${index}.type: Field required`);
    if (type === 'text' && textOf(text) === '') yield refuse('messages: text content blocks must be non-empty');
  }
}

function stepOf(message: JsonRecord): { calls: readonly string[]; results: readonly string[] } {
  const blocks = listOf(message.content).map(recordOf);
  return {
    calls: blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => textOf(id)),
    results: blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => textOf(id)),
  };
}

function toRefusal({ type, ids, step }: CallFault): Refusal {
  const at = `messages.${step}`;
  const listed = ids.join(', ');
  switch (type) {
    case 'unanswered':
      return refuse(
        `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${listed}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    case 'unknown-result':
      return refuse(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${listed}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    case 'repeated-call':
      return refuse(`${at}: \`tool_use\` ids must be unique: ${listed}`);
    case 'repeated-result':
      return refuse(
        `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${listed}`,
      );
    case 'reordered':
      return refuse(`${at}: \`tool_result\` blocks do not come in the order of their \`tool_use\` blocks: ${listed}`);
  }
}

function* toolRefusals({ tools, tool_choice: choice }: JsonRecord): Generator<Refusal> {
  if (tools !== undefined && !Array.isArray(tools)) yield refuse('tools: Input should be a valid list');
  const names = new Set<string>();
  for (const [index, tool] of listOf(tools).entries()) {
    const { type, name, description, input_schema: schema } = recordOf(tool);
    if (!isRecord(tool)) yield refuse(`tools.${index}: Input should be a valid dictionary`);
    if (names.has(textOf(name))) yield refuse('tools: Tool names must be unique.');
    names.add(textOf(name));
    if (type !== undefined && !TOOL_TYPE.test(textOf(type))) {
      yield refuse(
        `tools.${index}: Input tag '${textOf(type)}' found using 'type' does not match any of the expected tags`,
      );
    }
    // Tools that the provider runs itself have other fields.
    if (type !== undefined && type !== 'custom') continue;
    const at = `tools.${index}.custom`;
    if (typeof name !== 'string') yield refuse(`${at}.name: Field required`);
    if (!NAME.test(textOf(name))) yield refuse(`${at}.name: String should match pattern '${NAME.source}'`);
    if (description !== undefined && typeof description !== 'string') {
      yield refuse(`${at}.description: Input should be a valid string`);
    }
    yield* schemaRefusals(schema, `${at}.input_schema`);
  }
  if (isRecord(choice) && listOf(tools).length === 0) {
    yield refuse('tool_choice: may only be specified while providing tools');
  }
}

function* schemaRefusals(schema: unknown, at: string): Generator<Refusal> {
  if (schema === undefined) yield refuse(`${at}: Field required`);
  if (!isRecord(schema)) yield refuse(`${at}: Input should be a valid dictionary`);
  const { type, properties } = recordOf(schema);
  if (type === undefined) yield refuse(`${at}.type: Field required`);
  if (type !== 'object') yield refuse(`${at}.type: Input should be 'object'`);
  if (['oneOf', 'allOf', 'anyOf'].some((keyword) => recordOf(schema)[keyword] !== undefined)) {
    yield refuse(`${at}: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  }
  if (!Object.keys(recordOf(properties)).every((key) => PROPERTY.test(key))) {
    yield refuse(`${at}.properties: Property keys should match pattern '${PROPERTY.source}'`);
  }
  for (const { path, message } of schemaFaults(schema)) {
    yield refuse(
      `${at}: JSON schema is invalid. It must match JSON Schema draft 2020-12. ${path.join('.')}: ${message}`,
    );
  }
}

/** Thinking must be sent back as it was signed, and must be included with the tool calls that it led to. */
function* thinkingRefusals(messages: readonly JsonRecord[], request: FormatRequest): Generator<Refusal> {
  const loop = toolLoopStart(messages);
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue;
    const blocks = listOf(content).map(recordOf);
    for (const [place, block] of blocks.entries()) {
      if (block.type === 'thinking') yield* signatureRefusals(block, `messages.${index}.content.${place}`);
    }
    if (index >= loop) yield* missingThinking(blocks, `messages.${index}.content.0`, request);
  }
}

/** The start of the turn in progress: the user's last message that contains more than tool results. */
function toolLoopStart(messages: readonly JsonRecord[]): number {
  return messages.findLastIndex(({ role, content }) => {
    const hasResults = listOf(content).some((part) => recordOf(part).type === 'tool_result');
    return role === 'user' && !hasResults;
  });
}

function* signatureRefusals({ thinking, signature }: JsonRecord, at: string): Generator<Refusal> {
  if (typeof signature !== 'string') yield refuse(`${at}.thinking.signature: Field required`);
  // Only this server's own signatures can be checked. An empty text is thinking that the client was not shown.
  const isOwn = signature === signatureOf(textOf(thinking));
  if (!isOwn && textOf(thinking) !== '') yield refuse(`${at}: Invalid \`signature\` in \`thinking\` block`);
}

function* missingThinking(blocks: readonly JsonRecord[], at: string, request: FormatRequest): Generator<Refusal> {
  const use = blocks.find(({ type }) => type === 'tool_use');
  const first = blocks[0]?.type;
  if (use === undefined || first === 'thinking' || first === 'redacted_thinking') return;
  const turn = request.memory.turnOf(textOf(use.id));
  const isEnabled = recordOf(request.body.thinking).type === 'enabled';
  if (turn === undefined ? isEnabled : turn.reasoning !== '') {
    yield refuse(
      `${at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${textOf(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
}
