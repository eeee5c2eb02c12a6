import type { StopReason, Usage, WireBody, WireFrame } from '../../spec/wire.ts';
import { isRecord, isGiven, recordOf, textOf } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/** An empty part, for chunks and responses that must have one. */
export const EMPTY_PART: WireBody = { text: '' };

/**
 * Finish reasons of an incomplete answer. After `CONTINUATION` the provider would continue if the same request came
 * again with a token from the response. A pause is different, because the provider then continues from the text so far.
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

/** Finish reasons that mean that the model failed to use tools, so there is no answer. */
const FAILURES: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
]);

const CLIENT_ROLES: ReadonlySet<unknown> = new Set([undefined, 'user', 'function', 'tool', 'system']);

/** The items of a repeated field: the API also accepts a single item instead of a list. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isRecord(value) ? [value] : [];
}

/** The spelling of a field in a request: the API accepts both `systemInstruction` and `system_instruction`. */
export function spelling(body: WireBody, field: string): string {
  const other = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return !Object.hasOwn(body, field) && Object.hasOwn(body, other) ? other : field;
}

export function fieldOf(body: WireBody, field: string): unknown {
  const key = spelling(body, field);
  return Object.hasOwn(body, key) ? body[key] : undefined;
}

/**
 * The first candidate of a response. If the request's `candidateCount` is above 1, further candidates are ignored here.
 */
export function firstCandidate(body: WireBody): WireBody | undefined {
  const candidates = itemsOf(body.candidates).filter(isRecord);
  return candidates.find(({ index }) => index === undefined || index === 0);
}

export function partsOf(candidate: WireBody | undefined): readonly unknown[] {
  return itemsOf(recordOf(candidate?.content).parts);
}

/** The call in a part of a response, if it has one. */
export function functionCallOf(part: unknown): WireBody | undefined {
  return isRecord(part) && isRecord(part.functionCall) ? part.functionCall : undefined;
}

/** The kind of a part that contains only text: text of the answer or of a thought. */
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

/** Why the prompt was blocked, if it was. */
export function blockReason(body: WireBody): string | undefined {
  return textOf(recordOf(body.promptFeedback).blockReason);
}

/** Why a model stopped. The provider also sends `STOP` after calls. */
export function stopOf(finishReason: string | undefined, hasCalls: boolean): StopReason {
  if (finishReason !== undefined && CUTS.has(finishReason)) return 'length';
  if (finishReason !== undefined && FILTERS.has(finishReason)) return 'content-filter';
  if (finishReason !== undefined && FAILURES.has(finishReason)) return 'error';
  if (hasCalls) return 'tool-calls';
  return finishReason === 'STOP' ? 'end' : 'other';
}

/**
 * The reported usage. The candidates' tokens do not include thoughts, and the prompt's do not include results of hosted
 * tools.
 */
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
 * A frame's JSON. In the middle of a stream, errors may arrive as plain JSON outside any server-sent event: then the
 * frame's raw text is the JSON.
 */
export function frameJson(frame: WireFrame): string {
  const data = frame.data.trim();
  if (data !== '') return data;
  const raw = frame.raw.trim();
  return raw.startsWith('{') ? raw : '';
}

/** The chunk in a frame's JSON. Errors sometimes arrive as an array with one item. */
export function chunkOf(value: unknown): WireBody | undefined {
  const chunk: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isRecord(chunk) ? chunk : undefined;
}
