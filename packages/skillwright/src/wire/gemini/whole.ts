import type { WireBody, WireFrame } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import { recordOf } from '../json/json-text.ts';
import { encodeFrame } from '../stream/sse.ts';
import { firstCandidate, isEmptyPart, partsOf } from './fields.ts';
import { RoundPatch } from './patch.ts';
import { withoutText } from './text.ts';

/**
 * Combines the responses of several rounds into the last response, with the visible parts and the usage of all rounds.
 */
export function mergeResponses(rounds: readonly WireRound[]): WireBody {
  const [first] = rounds;
  if (first === undefined) return {};
  const patch = new RoundPatch(first.isHidden);
  let merged: WireBody = {};
  const parts: unknown[] = [];
  for (const [index, { response, isHidden, hidesText }] of rounds.entries()) {
    if (index > 0) patch.nextRound(isHidden);
    const isLast = index === rounds.length - 1;
    const shown = patch.chunk(hidesText === true ? withoutText(response) : response, isLast ? 'last' : 'between');
    if (shown !== undefined) parts.push(...partsOf(firstCandidate(shown)));
    if (isLast) merged = shown ?? response;
  }
  return rounds.length === 1 ? merged : withParts(merged, parts);
}

/** The response with these parts in its answer, if it has an answer. */
function withParts(response: WireBody, parts: readonly unknown[]): WireBody {
  const candidate = firstCandidate(response);
  if (candidate === undefined || !Array.isArray(response.candidates)) return response;
  const worthy = parts.filter((part) => !isEmptyPart(part));
  const content = { ...recordOf(candidate.content), parts: worthy.length === 0 ? parts : worthy };
  const answer = { ...candidate, content: 'role' in content ? content : { ...content, role: 'model' } };
  return {
    ...response,
    candidates: response.candidates.map((given: unknown) => (given === candidate ? answer : given)),
  };
}

/** Converts a whole response to a stream with one chunk. */
export function streamOf(response: WireBody): readonly WireFrame[] {
  return [encodeFrame(JSON.stringify(response))];
}
