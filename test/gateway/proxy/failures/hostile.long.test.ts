import { expect, it } from 'vitest';
import { createLoopClient, KINDS } from '../loop/loop-client.ts';
import { startLoop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const ECHO = { text: 'I ask the echo.', calls: [{ name: 'echo', arguments: { text: 'words' } }] };

// In parallel, because each case waits half a minute; in one test, because cleanup runs after the test.
it(
  'gives up on a provider that falls silent after a skill, in every format, streaming and not',
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
