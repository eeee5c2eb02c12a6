import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { openaiResponses } from '../../../packages/skillwright/src/wire/openai-responses/index.ts';
import type { AssistantTurn, WireBody, WireEvent, WireStep } from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';

const FIXTURES = new URL('../fixtures/openai-responses/', import.meta.url);

/** The names of all recorded streams. */
export const STREAMS: readonly string[] = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.sse'))
  .map((name) => name.slice(0, -4));

/** The streams whose whole response was also recorded. */
export const RESPONSES: readonly string[] = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -5));

export function readStream(name: string): Uint8Array {
  return readFileSync(new URL(`${name}.sse`, FIXTURES));
}

export function readWhole(name: string): WireBody {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8')) as WireBody;
}

/** All reading steps of a stream in chunks. */
export function readSteps(pieces: Iterable<Uint8Array>): { steps: WireStep[]; turn: AssistantTurn } {
  const reader = openaiResponses.createStreamReader();
  const steps: WireStep[] = [];
  for (const piece of pieces) steps.push(...reader.read(piece));
  steps.push(...reader.end());
  return { steps, turn: reader.turn() };
}

export function stepsOf(text: string): WireStep[] {
  return readSteps([new TextEncoder().encode(text)]).steps;
}

export function eventsOf(steps: readonly WireStep[]): WireEvent[] {
  return steps.flatMap((step) => step.events);
}

/** An artificial stream: one frame for each event. */
export function sse(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

export const SHOWS_ALL: StreamWriterOptions = { isHidden: () => false, includesUsage: true };

/** The output to a client for the streams of several rounds. */
export function writeRounds(streams: readonly (Uint8Array | string)[], options: StreamWriterOptions): string {
  const writer = openaiResponses.createStreamWriter(options);
  return `${streams.map((stream, index) => (index > 0 ? raw(writer.nextRound()) : '') + writeStream(writer, stream)).join('')}${raw(writer.finish())}`;
}

export function writeStream(writer: StreamWriter, stream: Uint8Array | string): string {
  const bytes = typeof stream === 'string' ? new TextEncoder().encode(stream) : stream;
  return raw(readSteps([bytes]).steps.flatMap((step) => writer.write(step)));
}

export function raw(frames: readonly { readonly raw: string }[]): string {
  return frames.map((frame) => frame.raw).join('');
}

type Item = Readonly<Record<string, unknown>>;
interface Event extends Item {
  readonly type: string;
}

/** The events of a stream, parsed in the simplest way. */
export function parseEvents(stream: string): Event[] {
  return stream
    .split('\n\n')
    .filter((frame) => frame !== '' && !frame.startsWith(':') && frame !== 'data: [DONE]')
    .map((frame) => {
      const field = (name: string): string | undefined =>
        frame
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const event = JSON.parse(field('data') ?? '') as Event;
      expect(field('event') ?? event.type).toBe(event.type);
      return event;
    });
}

/** Checks a stream against the format's rules, and returns the response it ends with. */
export function checkStream(stream: string): Item {
  const events = parseEvents(stream);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
  expect(events[0]?.type).toBe('response.created');
  const responses = events.flatMap((event) => (isItem(event.response) ? [event.response] : []));
  expect(new Set(responses.map((response) => response.id)).size).toBe(1);
  const closing = events.filter((event) => /^response\.(completed|incomplete|failed)$/.test(event.type));
  expect(closing).toEqual([events.at(-1)]);
  const done = checkItems(events);
  const final = closing[0]?.response as Item;
  expect(final.output).toEqual(done);
  return final;
}

function checkItems(events: readonly Event[]): Item[] {
  const open = new Map<unknown, Item>();
  const done: Item[] = [];
  const ids = new Set<unknown>();
  for (const event of events) {
    if (event.type === 'response.output_item.added') {
      const item = event.item as Item;
      expect(event.output_index).toBe(open.size + done.length);
      expect(ids).not.toContain(item.id);
      ids.add(item.id);
      open.set(event.output_index, item);
    } else if (event.output_index !== undefined) {
      const item = open.get(event.output_index);
      expect(item, `${event.type} comes before its item, or after it is done`).toBeDefined();
      if (event.item_id !== undefined) expect(event.item_id).toBe(item?.id);
      if (event.type === 'response.output_item.done') {
        expect(event.item).toMatchObject({ id: item?.id, type: item?.type });
        open.delete(event.output_index);
        done.push(event.item as Item);
      }
    }
  }
  expect([...open.keys()]).toEqual([]);
  return done;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null;
}
