import type { StopReason, Usage, WireBody, WireFrame } from '../../spec/wire.ts';
import { isRecord, isGiven, recordOf, textOf } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/** A part without anything in it, for chunks and responses that need one. */
export const EMPTY_PART: WireBody = { text: '' };

/**
 * The answer is not whole. After `CONTINUATION` the provider would go on if the same request came again with a token it
 * gave: that differs from a pause, which continues from the text so far.
 */
const CUTS: ReadonlySet<string> = new Set(['MAX_TOKENS', 'CONTINUATION']);

/** The provider's reasons for stopping a response because of content rules. */
const FILTERS: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** What the model did with tools made no answer. */
const FAILURES: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
]);

const CLIENT_ROLES: ReadonlySet<unknown> = new Set([undefined, 'user', 'function', 'tool', 'system']);

/** A repeated field: the API also takes one item where a list should be. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isRecord(value) ? [value] : [];
}

/** How a request spells a field: the API takes `systemInstruction` and `system_instruction` alike. */
export function spelling(body: WireBody, field: string): string {
  const other = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return !Object.hasOwn(body, field) && Object.hasOwn(body, other) ? other : field;
}

export function fieldOf(body: WireBody, field: string): unknown {
  const key = spelling(body, field);
  return Object.hasOwn(body, key) ? body[key] : undefined;
}

/** The response's candidate. With `candidateCount` above 1, the others are ignored here. */
export function firstCandidate(body: WireBody): WireBody | undefined {
  const candidates = itemsOf(body.candidates).filter(isRecord);
  return candidates.find(({ index }) => index === undefined || index === 0);
}

export function partsOf(candidate: WireBody | undefined): readonly unknown[] {
  return itemsOf(recordOf(candidate?.content).parts);
}

/** The call in a part of a response, if there is one. */
export function functionCallOf(part: unknown): WireBody | undefined {
  return isRecord(part) && isRecord(part.functionCall) ? part.functionCall : undefined;
}

/** Whether a part has text, and nothing else: whether it is an answer's or a thought's. */
export function plainKind(part: unknown): 'text' | 'thought' | undefined {
  if (!isRecord(part) || typeof part.text !== 'string') return undefined;
  const others = Object.keys(part).filter((key) => key !== 'text');
  if (others.length === 0) return 'text';
  return others.length === 1 && part.thought === true ? 'thought' : undefined;
}

export function isEmptyPart(part: unknown): boolean {
  return plainKind(part) !== undefined && (part as WireBody).text === '';
}

export function isOfModel(content: unknown): content is WireBody {
  return isRecord(content) && content.role === 'model';
}

export function isOfClient(content: unknown): content is WireBody {
  return isRecord(content) && CLIENT_ROLES.has(content.role);
}

export function partsIn(contents: readonly unknown[]): readonly unknown[] {
  return contents.flatMap((content) => itemsOf(recordOf(content).parts));
}

/** The call in a part of a history, in either spelling. */
export function callIn(part: unknown): WireBody | undefined {
  return recordIn(part, 'functionCall');
}

/** The result in a part of a history. */
export function responseIn(part: unknown): WireBody | undefined {
  return recordIn(part, 'functionResponse');
}

function recordIn(part: unknown, field: string): WireBody | undefined {
  const value = isRecord(part) ? fieldOf(part, field) : undefined;
  return isRecord(value) ? value : undefined;
}

/** Why the prompt was not answered at all, if so. */
export function blockReason(body: WireBody): string | undefined {
  return textOf(recordOf(body.promptFeedback).blockReason);
}

/** Why a model stopped. `STOP` is also what the provider says after calls. */
export function stopOf(finishReason: string | undefined, hasCalls: boolean): StopReason {
  if (finishReason !== undefined && CUTS.has(finishReason)) return 'length';
  if (finishReason !== undefined && FILTERS.has(finishReason)) return 'content-filter';
  if (finishReason !== undefined && FAILURES.has(finishReason)) return 'error';
  if (hasCalls) return 'tool-calls';
  return finishReason === 'STOP' ? 'end' : 'other';
}

/** Usage as it was told. Thoughts are not among the tokens of the candidates, nor results of hosted tools in the prompt. */
export function usageOf(usage: WireBody): Usage {
  const thoughts = tokenCount(usage.thoughtsTokenCount);
  return {
    input: tokenCount(tokenCount(usage.promptTokenCount) + tokenCount(usage.toolUsePromptTokenCount)),
    output: tokenCount(tokenCount(usage.candidatesTokenCount) + thoughts),
    cachedInput: tokenCount(usage.cachedContentTokenCount),
    cacheWrite: 0,
    reasoning: thoughts,
  };
}

export function rawUsage(body: WireBody): WireBody | undefined {
  return isRecord(body.usageMetadata) ? body.usageMetadata : undefined;
}

export function hasError(body: WireBody): boolean {
  return isGiven(body.error);
}

/**
 * The JSON a frame brings. Errors in the middle of a stream may come as plain JSON, outside of any server-sent event:
 * then it is all the frame has.
 */
export function frameJson(frame: WireFrame): string {
  const data = frame.data.trim();
  if (data !== '') return data;
  const raw = frame.raw.trim();
  return raw.startsWith('{') ? raw : '';
}

/** The chunk a frame's JSON holds: errors have come as an array of one. */
export function chunkOf(value: unknown): WireBody | undefined {
  const chunk: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isRecord(chunk) ? chunk : undefined;
}
