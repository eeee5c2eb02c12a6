import { describe, expect, it } from 'vitest';
import { driveTurn } from '../../../packages/skillwright/src/host.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { hostileClient, replyOf } from './hostile-client.ts';

const { promise: NEVER } = Promise.withResolvers<never>();
const ANSWER = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

describe('a client of the loop that never settles', () => {
  it.each(['write', 'settle'] as const)(
    'is abandoned after an abort (never settles: %s)',
    async (name) => {
      const controller = new AbortController();
      const format = wireFormat('openai-chat');
      const body = format.createRequest({ model: 'm', system: '', input: 'Go.', tools: [], stream: true });
      const ending = await driveTurn({
        format,
        body,
        stream: true,
        model: hostileClient(() => replyOf(ANSWER)),
        client: { format, includesUsage: false, clientBody: body },
        signal: controller.signal,
        execute: () => NEVER,
        [name]: () => {
          controller.abort();
          return NEVER;
        },
      });
      expect(ending.rounds).toBe(1);
    },
    30_000,
  );
});
