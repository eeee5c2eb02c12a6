import { readdirSync, readFileSync } from 'node:fs';
import type {
  AssistantTurn,
  WireBody,
  WireEvent,
  WireFrame,
  WireStep,
} from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';
import { gemini } from '../../../packages/skillwright/src/wire/gemini/index.ts';
import { createSseDecoder } from '../../../packages/skillwright/src/wire/stream/sse.ts';

const FIXTURES = new URL('../fixtures/gemini/', import.meta.url);

/** Names of the streams; `WHOLE` has only those with a recorded whole response. */
export const STREAMS: readonly string[] = namesOf('.sse');
export const WHOLE: readonly string[] = namesOf('.json');

function namesOf(ending: string): readonly string[] {
  return readdirSync(FIXTURES)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
}

export function streamText(name: string): string {
  return readFileSync(new URL(`${name}.sse`, FIXTURES), 'utf8');
}

export function wholeResponse(name: string): WireBody {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8')) as WireBody;
}

/** The chunks of a recorded stream. */
export function chunksOf(text: string): readonly WireBody[] {
  const decoder = createSseDecoder();
  return [...decoder.push(bytesOf(text)), ...decoder.end()]
    .map(({ data }) => data)
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as WireBody);
}

/** Chunks as the provider streams them without `alt=sse`: pretty-printed, in an array, with its odd line ends. */
export function arrayText(chunks: readonly WireBody[], indent = 2): string {
  return `[${chunks.map((chunk) => JSON.stringify(chunk, undefined, indent)).join('\n,\r\n')}\n]\n`;
}

export function sseText(chunks: readonly WireBody[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('');
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export interface Reading {
  readonly steps: readonly WireStep[];
  readonly events: readonly WireEvent[];
  readonly turn: AssistantTurn;
}

/** Reads a stream that arrives in these chunks. */
export function readChunks(chunks: readonly Uint8Array[]): Reading {
  const reader = gemini.createStreamReader();
  const steps = [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end()];
  return { steps, events: steps.flatMap(({ events }) => events), turn: reader.turn() };
}

export function readText(text: string): Reading {
  return readChunks([bytesOf(text)]);
}

export function rawOf(steps: readonly WireStep[]): string {
  return steps.map(({ frame }) => frame.raw).join('');
}

export function textOf(frames: readonly WireFrame[]): string {
  return frames.map(({ raw }) => raw).join('');
}

interface WriteOptions {
  readonly hidden?: readonly string[];
  readonly framing?: StreamWriterOptions['framing'];
}

export function createWriter({ hidden = [], framing }: WriteOptions = {}): StreamWriter {
  return gemini.createStreamWriter({ isHidden: (name) => hidden.includes(name), includesUsage: true, framing });
}

/** Writes rounds as one stream and returns the client's output. */
export function writeRounds(rounds: readonly string[], options: WriteOptions = {}): string {
  const writer = createWriter(options);
  const frames: WireFrame[] = [];
  for (const [index, round] of rounds.entries()) {
    if (index > 0) frames.push(...writer.nextRound());
    for (const step of readText(round).steps) frames.push(...writer.write(step));
  }
  frames.push(...writer.finish());
  return textOf(frames);
}

/** The chunks that a client reads from a stream of either framing; throws on an invalid stream. */
export function clientChunks(text: string): readonly WireBody[] {
  return text.trimStart().startsWith('[') ? (JSON.parse(text) as WireBody[]) : chunksOf(text);
}

/** Violations of the rules that a client expects of a stream; empty if there are none. */
export function checkStream(text: string): string[] {
  const problems: string[] = [];
  if (/^event:/m.test(text)) problems.push('has event lines');
  if (!text.trimStart().startsWith('[') && !/(?:\n\n|\r\r|\r\n\r\n)$/.test(text)) problems.push('ends inside a frame');
  const chunks = clientChunks(text);
  for (const key of ['responseId', 'modelVersion'])
    if (new Set(chunks.map((chunk) => chunk[key])).size > 1) problems.push(`changes its ${key}`);
  const candidates = chunks.flatMap((chunk) => (chunk.candidates ?? []) as WireBody[]);
  const contents = candidates.map(({ content }) => content as { role?: string; parts?: WireBody[] } | undefined);
  if (contents.some((content) => content?.role !== 'model')) problems.push('has content that is not of the model');
  if (contents.some((content) => (content?.parts ?? []).length === 0)) problems.push('has content without parts');
  const ends = candidates.map(({ finishReason }) => finishReason !== undefined);
  if (ends.filter(Boolean).length !== 1) problems.push(`ends ${ends.filter(Boolean).length} times`);
  if (ends.at(-1) !== true) problems.push('goes on after its end');
  const totals = chunks.flatMap(({ usageMetadata }) =>
    usageMetadata === undefined ? [] : [Number((usageMetadata as WireBody).totalTokenCount)],
  );
  if (totals.some((total, index) => total < (totals[index - 1] ?? 0))) problems.push('counts backwards');
  const ids = contents
    .flatMap((content) => content?.parts ?? [])
    .map(({ functionCall }) => (functionCall as WireBody | undefined)?.id)
    .filter((id) => id !== undefined);
  if (new Set(ids).size < ids.length) problems.push('has a call twice');
  return problems;
}

/** The turn that a client builds from a stream. */
export function clientParts(text: string): readonly WireBody[] {
  return clientChunks(text)
    .flatMap((chunk) => (chunk.candidates ?? []) as WireBody[])
    .flatMap(({ content }) => ((content as WireBody).parts ?? []) as WireBody[]);
}

export function clientText(text: string): string {
  return clientParts(text)
    .filter(({ thought }) => thought !== true)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
}
