import { expect, it } from 'vitest';
import { createLoopClient, KINDS } from '../loop/loop-client.ts';
import { startLoop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const ECHO = { text: 'I ask the echo.', calls: [{ name: 'echo', arguments: { text: 'words' } }] };

// All at once, because each waits half a minute; in one test, because what it opens is closed after the test.
it(
  'a provider that falls silent after a skill is given up on when the time is over, in every format, streaming and not',
  { timeout: 120_000 },
  async () => {
    const endings = await Promise.all(
      KINDS.map(async (kind) => {
        const { url, model } = await startLoop({
          model: { script: [ECHO, { fault: { type: 'stall' } }] },
          config: { limits: { skillMs: 1_000 } },
          handlers: [ECHO_HANDLER],
        });
        const { status, turn } = await createLoopClient({ url, ...kind }).say('Begin.');
        return { kind, status, stop: turn.stop, upstream: await model.requests[1]?.ended };
      }),
    );
    expect(endings).toEqual(
      KINDS.map((kind) => ({ kind, status: kind.stream ? 200 : 504, stop: 'error', upstream: 'aborted' })),
    );
  },
);
