import { describe, expect, it } from 'vitest';
import { readEvents, type GatewayEvent } from './gateway-client.ts';

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<GatewayEvent[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
  const events: GatewayEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

describe('events of a gateway', () => {
  it('are read however they are split into chunks', async () => {
    const text = 'event: output\ndata: {"text":"ä\\n"}\n\n: still there\n\ndata: {"a":1}\n\n';
    const whole = [
      { type: 'output', data: { text: 'ä\n' } },
      { type: 'message', data: { a: 1 } },
    ];
    expect(await read(text)).toEqual(whole);
    expect(await read(...[...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it('are skipped if they are invalid', async () => {
    expect(await read('data: {\n\n', 'data: 5\n\n', 'data: []\n\n', 'event: x\n\n', 'data: {"cut":')).toEqual([]);
  });
});
