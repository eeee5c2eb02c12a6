import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { anthropicMessages } from '../../../packages/skillwright/src/wire/anthropic-messages/index.ts';
import type { AssistantTurn, WireBody, WireEvent, WireStep } from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';

const FIXTURES = new URL('../fixtures/anthropic-messages/', import.meta.url);

/** The names of all recorded streams. */
export const STREAMS: readonly string[] = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.sse'))
  .map((name) => name.slice(0, -4));

/** The streams whose whole message was also recorded. */
export const MESSAGES: readonly string[] = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.json') && name !== 'error-only.json')
  .map((name) => name.slice(0, -5));

export function readStream(name: string): Uint8Array {
  return readFileSync(new URL(`${name}.sse`, FIXTURES));
}

export function readWhole(name: string): WireBody {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8')) as WireBody;
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** All reading steps of a stream in chunks. */
export function readSteps(pieces: Iterable<Uint8Array>): { steps: WireStep[]; turn: AssistantTurn } {
  const reader = anthropicMessages.createStreamReader();
  const steps: WireStep[] = [];
  for (const piece of pieces) steps.push(...reader.read(piece));
  steps.push(...reader.end());
  return { steps, turn: reader.turn() };
}

export function eventsOf(steps: readonly WireStep[]): WireEvent[] {
  return steps.flatMap((step) => step.events);
}

/** An artificial stream: one frame for each event. */
export function sse(...events: readonly WireBody[]): string {
  return events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** A stream of one message with these blocks, each started and ended. */
export function sseOf(blocks: readonly WireBody[], stop: string, usage: WireBody = { output_tokens: 1 }): string {
  const message = { id: 'msg_own', model: 'm', content: [], stop_reason: null, usage: { input_tokens: 1 } };
  return sse(
    { type: 'message_start', message },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: 'message_stop' },
  );
}

export const SHOWS_ALL: StreamWriterOptions = { isHidden: () => false, includesUsage: true };

/** Hides the skill tools that the recorded rounds call. */
export const HIDES_SKILLS: StreamWriterOptions = { isHidden: (name) => name.endsWith('_skill'), includesUsage: true };

/** The output to a client for the streams of several rounds. */
export function writeRounds(streams: readonly (Uint8Array | string)[], options: StreamWriterOptions): string {
  const writer = anthropicMessages.createStreamWriter(options);
  const written = streams.map(
    (stream, index) => (index > 0 ? raw(writer.nextRound()) : '') + writeStream(writer, stream),
  );
  return written.join('') + raw(writer.finish());
}

export function writeStream(writer: StreamWriter, stream: Uint8Array | string): string {
  const bytes = typeof stream === 'string' ? encode(stream) : stream;
  return raw(readSteps([bytes]).steps.flatMap((step) => writer.write(step)));
}

export function raw(frames: readonly { readonly raw: string }[]): string {
  return frames.map((frame) => frame.raw).join('');
}

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: WireBody & { readonly usage?: WireBody };
  readonly content_block?: WireBody & { readonly type: string };
  readonly delta?: WireBody;
  readonly usage?: WireBody;
}

/** The events of a stream, parsed in the simplest way. */
export function parseEvents(stream: string): StreamEvent[] {
  const frames = stream.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  return frames.map((frame) => {
    const lines = frame.split('\n');
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
    const event = JSON.parse(data.join('\n')) as StreamEvent;
    expect(lines[0]).toBe(`event: ${event.type}`);
    return event;
  });
}

const BLOCK_EVENT = /^content_block_(?:start|delta|stop)$/;

/** Checks a stream against the format's rules, and returns the message that a client builds from it. */
export function checkStream(stream: string): WireBody {
  const events = parseEvents(stream).filter(({ type }) => /^message_|^content_block_/.test(type));
  expect(events.map(({ type }) => type).filter((type) => !BLOCK_EVENT.test(type))).toEqual([
    'message_start',
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]?.type).toBe('message_start');
  expect(events.at(-2)?.type).toBe('message_delta');
  expect(events.at(-1)?.type).toBe('message_stop');
  const { message } = events[0] ?? {};
  const { delta, usage } = events.at(-2) ?? {};
  expect(message).toMatchObject({ id: expect.any(String) as string, content: [], stop_reason: null });
  const content = checkBlocks(events.filter(({ type }) => BLOCK_EVENT.test(type)));
  return { ...message, ...delta, content, usage: { ...message?.usage, ...usage } };
}

/** The blocks in order, with indexes from 0. */
function checkBlocks(events: readonly StreamEvent[]): WireBody[] {
  const blocks: WireBody[] = [];
  let open: WireBody | undefined;
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      expect(open).toBeUndefined();
      expect(index).toBe(blocks.length);
      open = { ...content_block };
    } else {
      expect(open, `${type} without a block`).toBeDefined();
      expect(index).toBe(blocks.length);
      if (type === 'content_block_delta') open = accumulate(open ?? {}, delta ?? {});
      else {
        blocks.push(finished(open ?? {}));
        open = undefined;
      }
    }
  }
  expect(open).toBeUndefined();
  return blocks;
}

function accumulate(block: WireBody, delta: WireBody): WireBody {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (delta.type === 'text_delta') return { ...block, text: text(block.text) + text(delta.text) };
  if (delta.type === 'thinking_delta') return { ...block, thinking: text(block.thinking) + text(delta.thinking) };
  if (delta.type === 'signature_delta') return { ...block, signature: delta.signature };
  if (delta.type === 'input_json_delta') return { ...block, json: text(block.json) + text(delta.partial_json) };
  return block;
}

function finished({ json, ...block }: WireBody): WireBody {
  return typeof json === 'string' && json !== '' ? { ...block, input: JSON.parse(json) as unknown } : block;
}
