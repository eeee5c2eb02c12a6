import type { StopReason, Usage, WireBody } from '../../spec/wire.ts';
import { isRecord, jsonText, NESTED_TOO_DEEP, isGiven, textOf } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/**
 * Whether a block is a call that the client must answer. Calls of the provider's own tools and of MCP servers have
 * other types.
 */
export function isCall(block: unknown): block is WireBody {
  return isRecord(block) && block.type === 'tool_use';
}

/**
 * The name of the tool that a block calls. A tool of a toolset is distinct from a tool of the same name outside the
 * toolset.
 */
export function callName(block: WireBody): string {
  const name = textOf(block.name) ?? '';
  const toolset = textOf(block.toolset_name);
  return toolset === undefined ? name : `${toolset}.${name}`;
}

/** A call's input as JSON text, for input that arrived whole. */
export function inputAsText(input: unknown): string {
  if (input === undefined || input === null) return '';
  return typeof input === 'string' ? input : (jsonText(input) ?? NESTED_TOO_DEEP);
}

export function isText(block: unknown): boolean {
  return isRecord(block) && block.type === 'text';
}

/** Whether the provider accepts a block: it refuses text that contains only white space. */
export function isSaid(block: WireBody): boolean {
  return block.type !== 'text' || (typeof block.text === 'string' && block.text.trim() !== '');
}

export function stopOf(reason: unknown, hasCalls: boolean): StopReason {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refusal';
    case 'stop_sequence':
      return 'end';
    default:
      // If there are calls, they must be answered, whatever stop reason the server gives.
      if (hasCalls) return 'tool-calls';
      if (reason === 'pause_turn') return 'pause';
      return reason === 'end_turn' ? 'end' : 'other';
  }
}

/** The reported usage. The provider separately counts input that it reads from its cache or writes there. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const cachedInput = tokenCount(usage.cache_read_input_tokens);
  const cacheWrite = tokenCount(usage.cache_creation_input_tokens);
  const details = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    input: tokenCount(tokenCount(usage.input_tokens) + cachedInput + cacheWrite),
    output: tokenCount(usage.output_tokens),
    cachedInput,
    cacheWrite,
    reasoning: tokenCount(details.thinking_tokens),
  };
}

/**
 * Adds newly reported usage to a round's usage so far. A later count includes the earlier counts, so it replaces them.
 */
export function laterUsage(before: WireBody | undefined, told: unknown): WireBody | undefined {
  if (!isRecord(told)) return before;
  const given = Object.entries(told).filter(([key, value]) => isGiven(value) || before?.[key] === undefined);
  return { ...before, ...Object.fromEntries(given) };
}

/** The error message in an `error` event or in the body of an HTTP error. */
export function errorMessage(holder: WireBody): string {
  const error = isRecord(holder.error) ? holder.error : holder;
  const words =
    textOf(error.message) ?? textOf(holder.error) ?? textOf(isRecord(holder.error) ? error.type : undefined);
  return words ?? 'The provider reported an error without details.';
}
