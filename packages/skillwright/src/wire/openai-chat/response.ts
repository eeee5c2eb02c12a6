import type { AssistantTurn, ToolCall, WireBody } from '../../spec/wire.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { errorMessage, isRecord, isGiven, listOf, recordOf, recordsOf, textOf } from '../json/json-text.ts';
import { callBody, contentParts, contentText, firstChoice, reasoningText, stopOf, usageOf } from './fields.ts';

export function readResponse(response: unknown): AssistantTurn {
  const body = recordOf(response);
  const choice = firstChoice(body);
  const hasError = isGiven(body.error);
  if (choice === undefined)
    return failedTurn(body, hasError ? errorMessage(body.error) : 'The provider answered without any choice.');
  const message = recordOf(choice.message);
  const calls = readCalls(message, textOf(body.id));
  const stop = stopOf(choice.finish_reason, calls.length > 0, textOf(message.refusal) !== undefined);
  const ended =
    stop === 'error' ? `The provider ended the answer with an error: '${String(choice.finish_reason)}'.` : undefined;
  const error = hasError ? errorMessage(body.error) : ended;
  return {
    id: textOf(body.id),
    model: textOf(body.model),
    text: contentText(message.content),
    reasoning: reasoningText(message),
    calls,
    stop: error === undefined ? stop : 'error',
    usage: usageOf(body),
    error,
    echo: echoOf(message, calls),
  };
}

function failedTurn(body: WireBody, error: string): AssistantTurn {
  const { id, model } = body;
  const said = {
    text: '',
    reasoning: '',
    calls: [],
    stop: 'error' as const,
    usage: usageOf(body),
    error,
    echo: undefined,
  };
  return { id: textOf(id), model: textOf(model), ...said };
}

function readCalls(message: WireBody, responseId: string | undefined): readonly ToolCall[] {
  const ids = new CallIds('call');
  const seed = callSeed(responseId);
  return recordsOf(message.tool_calls).map((call, position) => {
    const { name = '', text } = callBody(call);
    return { id: ids.claim(textOf(call.id), position, seed), name, argumentsText: text };
  });
}

/** The message unchanged if its calls can be answered; otherwise with ids added and arguments as text. */
function echoOf(message: WireBody, calls: readonly ToolCall[]): WireBody | undefined {
  if (Object.keys(message).length === 0) return undefined;
  const given = recordsOf(message.tool_calls);
  const isSound = given.every((call, index) => {
    const { id, argumentsText } = calls[index] ?? { id: undefined, argumentsText: undefined };
    const own = recordOf(call.function);
    return call.id === id && (isRecord(call.custom) || own.arguments === argumentsText);
  });
  if (isSound && given.length === listOf(message.tool_calls).length) return message;
  return { ...message, tool_calls: calls.map((call, index) => callOf(given[index] ?? {}, call)) };
}

function callOf(given: WireBody, { id, name, argumentsText }: ToolCall): WireBody {
  if (isRecord(given.custom)) return { ...given, id };
  return {
    ...given,
    id,
    type: 'function',
    function: { ...recordOf(given.function), name, arguments: argumentsText },
  };
}

/** Fields whose pieces are joined; others arrive whole. */
const GROWING: ReadonlySet<string> = new Set([
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'reasoning_text',
  'arguments',
  'input',
  'data',
  'transcript',
]);

/**
 * Assembles an assistant message from its deltas, with all their fields, known or not: providers require reasoning and
 * signatures back unchanged, and some require even empty reasoning.
 */
export class MessageAssembly {
  readonly #fields = new Map<string, unknown>();
  readonly #calls: Map<string, unknown>[] = [];

  add(delta: WireBody): void {
    for (const [key, value] of Object.entries(delta)) if (key !== 'tool_calls') addField(this.#fields, key, value);
    if (Array.isArray(delta.tool_calls)) this.#fields.set('tool_calls', undefined);
  }

  /** Adds a part of the call at this position. */
  addCall(position: number, part: WireBody): void {
    const call = (this.#calls[position] ??= new Map());
    for (const [key, value] of Object.entries(part)) if (key !== 'index') addField(call, key, value);
  }

  /** The message, with the final ids, names and arguments of its calls; `undefined` if there were no deltas. */
  assemble(calls: readonly ToolCall[]): WireBody | undefined {
    if (this.#fields.size === 0) return undefined;
    const entries = [...this.#fields].flatMap(([key, value]) => {
      if (key === 'tool_calls') return calls.length === 0 ? [] : [[key, calls.map((call, at) => this.#call(call, at))]];
      return [[key, value]];
    });
    const message = Object.fromEntries(entries) as WireBody;
    return typeof message.role === 'string' ? message : { role: 'assistant', ...message };
  }

  #call({ id, name, argumentsText }: ToolCall, position: number): WireBody {
    const { id: _id, type, ...rest } = Object.fromEntries(this.#calls[position] ?? []);
    if (isRecord(rest.custom))
      return { id, type: 'custom', ...rest, custom: { ...rest.custom, name, input: argumentsText } };
    const own = isRecord(rest.function) ? rest.function : {};
    return { id, type: type ?? 'function', ...rest, function: { ...own, name, arguments: argumentsText } };
  }
}

function addField(fields: Map<string, unknown>, key: string, value: unknown): void {
  const known = fields.get(key);
  if (known !== undefined && known !== null) fields.set(key, joined(key, known, value));
  else fields.set(key, key === 'reasoning_details' && Array.isArray(value) ? addDetails([], value) : value);
}

function joined(key: string, known: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return known;
  if (typeof known === 'string' && typeof value === 'string') return GROWING.has(key) ? known + value : value;
  if (key === 'content' && typeof known !== typeof value) return [...contentParts(known), ...contentParts(value)];
  if (Array.isArray(known) && Array.isArray(value))
    return key === 'reasoning_details' ? addDetails(known, value) : [...(known as unknown[]), ...(value as unknown[])];
  if (!isRecord(known) || !isRecord(value)) return value;
  const fields = new Map(Object.entries(known));
  for (const [name, part] of Object.entries(value)) addField(fields, name, part);
  return Object.fromEntries(fields);
}

/** Joins the pieces of one reasoning text; encrypted reasoning arrives whole. */
function addDetails(known: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  const details = [...known];
  for (const detail of added) {
    const last = details.at(-1);
    if (isRecord(last) && isRecord(detail) && areOne(last, detail))
      details[details.length - 1] = grownDetail(last, detail);
    else details.push(detail);
  }
  return details;
}

function areOne(first: WireBody, second: WireBody): boolean {
  const isText = second.type === 'reasoning.text' || second.type === 'reasoning.summary';
  const hasOtherId = typeof second.id === 'string' && typeof first.id === 'string' && second.id !== first.id;
  // A signature ends a piece of reasoning.
  const isClosed = typeof first.signature === 'string' && typeof second.text === 'string' && second.text !== '';
  return isText && first.type === second.type && first.index === second.index && !hasOtherId && !isClosed;
}

function grownDetail(first: WireBody, second: WireBody): WireBody {
  const entries = Object.entries(second).filter(([, value]) => value !== undefined && value !== null);
  const pieces = (['text', 'summary'] as const).flatMap((key) => {
    const before = first[key];
    const after = second[key];
    return typeof before === 'string' && typeof after === 'string' ? [[key, before + after] as const] : [];
  });
  return { ...first, ...Object.fromEntries(entries), ...Object.fromEntries(pieces) };
}
