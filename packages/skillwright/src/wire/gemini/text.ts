import type { WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import { isRecord, jsonText, parseJson, recordOf, textOf } from '../json/json-text.ts';
import { type SilentStep, type TextFrames, worthTelling } from '../stream/held-text.ts';
import { withData } from '../stream/sse.ts';
import { chunkOf, EMPTY_PART, frameJson, isEmptyPart, itemsOf, partsOf, plainKind, rawUsage } from './fields.ts';

/** In this format, one frame may contain both text and other parts. */
export const textFrames: TextFrames = {
  bringsText: (step) => candidatesOf(readChunk(step)).some((candidate) => partsOf(candidate).some(isText)),
  withoutText: (steps) => worthTelling(steps.flatMap(silenced)),
};

/** A candidate's fields about its text. */
const ABOUT_TEXT: ReadonlySet<string> = new Set([
  'groundingMetadata',
  'citationMetadata',
  'logprobsResult',
  'avgLogprobs',
]);

/** A response or chunk without the text of its answers. Returns the same object if it has no text. */
export function withoutText(chunk: WireBody): WireBody {
  const given = itemsOf(chunk.candidates);
  const candidates = given.map((candidate) => (isRecord(candidate) ? silent(candidate) : candidate));
  return candidates.every((candidate, index) => candidate === given[index]) ? chunk : { ...chunk, candidates };
}

function silent(candidate: WireBody): WireBody {
  const isAboutText = Object.keys(candidate).some((key) => ABOUT_TEXT.has(key));
  if (!isAboutText && !partsOf(candidate).some(isText)) return candidate;
  const parts = partsOf(candidate).flatMap<unknown>((part) => (isText(part) ? withoutWords(part) : [part]));
  const rest = Object.entries(candidate).filter(([key]) => !ABOUT_TEXT.has(key));
  const content = { ...recordOf(candidate.content), parts: parts.length === 0 ? [EMPTY_PART] : parts };
  return { ...Object.fromEntries(rest), content };
}

function isText(part: unknown): part is WireBody {
  return isRecord(part) && part.thought !== true && textOf(part.text) !== undefined;
}

/** Removes a part's text, but keeps its signature in the original place. */
function withoutWords(part: WireBody): readonly WireBody[] {
  return plainKind(part) === undefined ? [{ ...part, text: '' }] : [];
}

function silenced(step: WireStep): readonly SilentStep[] {
  const chunk = readChunk(step);
  const hasUsage = chunk !== undefined && rawUsage(chunk) !== undefined;
  const rest = chunk === undefined ? undefined : withoutText(chunk);
  if (rest === undefined || rest === chunk) return [{ step, isIdle: false, hasUsage }];
  const text = jsonText(rest);
  return text === undefined
    ? []
    : [
        {
          step: { ...step, frame: withJson(step.frame, text), data: rest },
          isIdle: candidatesOf(rest).every(isIdle),
          hasUsage,
        },
      ];
}

function isIdle(candidate: WireBody): boolean {
  return textOf(candidate.finishReason) === undefined && partsOf(candidate).every(isEmptyPart);
}

/** The frame with other JSON, in either framing. In an array, keeps the characters before the chunk. */
function withJson(frame: WireFrame, text: string): WireFrame {
  const { data, raw } = frame;
  return raw.endsWith(data) ? { ...frame, data: text, raw: raw.slice(0, -data.length) + text } : withData(frame, text);
}

function candidatesOf(chunk: WireBody | undefined): readonly WireBody[] {
  return itemsOf(chunk?.candidates).filter(isRecord);
}

function readChunk({ frame, data }: WireStep): WireBody | undefined {
  if (data !== undefined) return data;
  const reading = parseJson(frameJson(frame));
  return reading.ok ? chunkOf(reading.value) : undefined;
}
