import type { WireBody } from '../../spec/wire.ts';
import { isGiven, listOf } from './response.ts';
import { isRecord } from '../json/json-text.ts';
import { addRawUsage } from '../usage.ts';

/** What the end of a stream tells about the whole message. Clients take these in place of what its start told. */
const TOLD_AT_END = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
] as const;

/** The usage of a round so far: counts told later include those told before, and stand in their place. */
export function laterUsage(before: WireBody | undefined, told: unknown): WireBody | undefined {
  if (!isRecord(told)) return before;
  const given = Object.entries(told).filter(([key, value]) => isGiven(value) || before?.[key] === undefined);
  return { ...before, ...Object.fromEntries(given) };
}

/** The usage of two rounds. Lists of iterations are put one after the other: each is a request to a model. */
export function addRounds(first: unknown, second: unknown): WireBody | undefined {
  const sum = addRawUsage(first, second);
  if (!isRecord(sum)) return undefined;
  const iterations = [first, second].flatMap((usage) => (isRecord(usage) ? listOf(usage.iterations) : []));
  return iterations.length === 0 ? sum : { ...sum, iterations };
}

/** What the end of a stream of several rounds tells: the fields it has, and the counts its start told too small. */
export function usageAtEnd(told: unknown, total: WireBody): WireBody {
  const own = isRecord(told) ? told : {};
  const missing = TOLD_AT_END.filter((key) => !Object.hasOwn(own, key) && isGiven(total[key]));
  return Object.fromEntries([...Object.keys(own), ...missing].map((key) => [key, total[key] ?? own[key]]));
}
