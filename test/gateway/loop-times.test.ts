import { expect, it } from 'vitest';
import { WIRE_FORMATS } from '../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { createLoopClient, requestBody, send, userEntries, type LoopClientOptions } from './loop-client.ts';
import { startLoop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'words' } }] };

it.each(WIRE_FORMATS)(
  'in %s a client hears something as often as it is configured while a skill runs',
  async (format) => {
    const heard = Promise.withResolvers<string>();
    const { url } = await startLoop({
      model: { script: [ECHO, { text: 'Done.' }] },
      config: { limits: { keepAliveMs: 100 } },
      // It ends when its client has heard something, which without the setting takes longer than a test may.
      handlers: [{ ...ECHO_HANDLER, execute: () => heard.promise }],
    });
    const options: LoopClientOptions = { url, format, stream: true };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      heard.resolve('It was heard.');
    }
    expect(text).toContain('Done.');
  },
);

it.each([true, false])('a model that does not wind up in its time is ended (streaming: %s)', async (stream) => {
  const { url, model } = await startLoop({
    model: { script: [ECHO, { fault: { type: 'stall' } }] },
    config: { limits: { skillMs: 1_000, skillGraceMs: 100 } },
    handlers: [{ ...ECHO_HANDLER, execute: () => new Promise(() => {}) }],
  });
  const { turn, status } = await createLoopClient({ url, format: 'openai-chat', stream }).say('Begin.');
  expect(turn.stop).toBe('error');
  expect(status).toBe(stream ? 200 : 504);
  expect(model.requests.length).toBeLessThanOrEqual(2);
});
