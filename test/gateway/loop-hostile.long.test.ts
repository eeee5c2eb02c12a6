import { expect, it } from 'vitest';
import { createLoopClient, KINDS } from './loop-client.ts';
import { startLoop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

it.each(KINDS)(
  'a provider that falls silent is given up on when the time is over, in $format, streaming: $stream',
  { concurrent: true, timeout: 120_000 },
  async (kind) => {
    const { url, model } = await startLoop({
      model: { script: [{ text: 'Once upon a time', frameLength: 3, fault: { type: 'stall', afterFrames: 8 } }] },
      config: { limits: { skillMs: 1_000 } },
      handlers: [ECHO_HANDLER],
    });
    const { status, turn } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(turn.stop).toBe('error');
    expect(status).toBe(kind.stream ? 200 : 504);
    expect(await model.requests[0]?.ended).toBe('aborted');
  },
);
