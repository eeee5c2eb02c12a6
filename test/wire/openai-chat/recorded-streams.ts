import { readdirSync, readFileSync } from 'node:fs';
import { openaiChat } from '../../../packages/skillwright/src/wire/openai-chat/index.ts';
import { createSseDecoder } from '../../../packages/skillwright/src/wire/stream/sse.ts';
import type {
  AssistantTurn,
  WireBody,
  WireEvent,
  WireFrame,
  WireStep,
} from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriter } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';

const FIXTURES = new URL('../fixtures/openai-chat/', import.meta.url);

/** Names of the recorded streams; `whole` has only those with a recorded whole response. */
export const STREAMS: readonly string[] = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.sse'))
  .map((file) => file.slice(0, -4));
export const WHOLE: readonly string[] = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -5));

export function streamText(name: string): string {
  return readFileSync(new URL(`${name}.sse`, FIXTURES), 'utf8');
}

export function wholeResponse(name: string): WireBody {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8')) as WireBody;
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
  const reader = openaiChat.createStreamReader();
  const steps = [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end()];
  return { steps, events: steps.flatMap(({ events }) => events), turn: reader.turn() };
}

export function readText(text: string): Reading {
  return readChunks([bytesOf(text)]);
}

/** A stream of chunks in OpenAI's framing, with its end. */
export function streamOf(id: string, deltas: readonly WireBody[], finish: string, usage?: WireBody): string {
  const envelope = { id, object: 'chat.completion.chunk', created: id.length, model: `model-of-${id}` };
  const choice = (delta: WireBody, reason: string | null): WireBody => ({ index: 0, delta, finish_reason: reason });
  const chunks: WireBody[] = deltas.map((delta) => ({ ...envelope, choices: [choice(delta, null)] }));
  chunks.push({ ...envelope, choices: [choice({}, finish)] });
  if (usage !== undefined) chunks.push({ ...envelope, choices: [], usage });
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** Writes rounds as one stream and returns the client's output. */
export function writeRounds(
  rounds: readonly string[],
  options: { readonly hidden?: readonly string[]; readonly includesUsage?: boolean } = {},
): string {
  const writer = createWriter(options);
  const frames: WireFrame[] = [];
  for (const [index, round] of rounds.entries()) {
    if (index > 0) frames.push(...writer.nextRound());
    for (const step of readText(round).steps) frames.push(...writer.write(step));
  }
  frames.push(...writer.finish());
  return textOf(frames);
}

export function createWriter({
  hidden = [],
  includesUsage = true,
}: {
  readonly hidden?: readonly string[];
  readonly includesUsage?: boolean;
}): StreamWriter {
  return openaiChat.createStreamWriter({ isHidden: (name) => hidden.includes(name), includesUsage });
}

export function textOf(frames: readonly WireFrame[]): string {
  return frames.map(({ raw }) => raw).join('');
}

/** Violations of the rules that a client expects of a stream; empty if there are none. */
export function checkStream(text: string): string[] {
  const decoder = createSseDecoder();
  const frames = [...decoder.push(bytesOf(text)), ...decoder.end()].filter(({ data }) => data !== '');
  const problems: string[] = [];
  if (frames.at(-1)?.data !== '[DONE]') problems.push('does not end with [DONE]');
  if (frames.filter(({ data }) => data === '[DONE]').length !== 1) problems.push('has not one [DONE]');
  const chunks = frames.slice(0, -1).map(({ data }) => JSON.parse(data) as WireBody);
  for (const key of ['id', 'created', 'model'])
    if (new Set(chunks.filter(({ error }) => error === undefined).map((chunk) => chunk[key])).size > 1)
      problems.push(`changes its ${key}`);
  const choices = chunks.flatMap((chunk) => (chunk.choices ?? []) as WireBody[]);
  const deltas = choices.map(({ delta }) => delta as WireBody);
  if (deltas.filter(({ role }) => role !== undefined).length !== 1) problems.push('has not one role');
  const reasons = choices.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== null);
  if (reasons.length !== 1) problems.push(`has ${reasons.length} reasons to finish`);
  if (choices.length > 0 && choices.at(-1)?.finish_reason === null) problems.push('goes on after its reason to finish');
  const parts = deltas.flatMap(({ tool_calls: calls }) => (calls ?? []) as WireBody[]);
  let opened = 0;
  for (const { index, id } of parts) {
    if (typeof index !== 'number' || index > opened) problems.push(`has a call number ${String(index)} out of order`);
    if (index === opened) {
      if (typeof id !== 'string') problems.push(`has a call ${opened} that begins without an id`);
      opened += 1;
    }
  }
  return problems;
}
