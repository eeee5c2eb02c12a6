import { expect, it } from 'vitest';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { wireFormat } from '../../../../packages/skillwright/src/wire/format.ts';
import { createHearing, startLockStep } from './lock-step-upstream.ts';
import { requestBody, send, userEntries, WEATHER } from './loop-client.ts';
import { startGatewayTo } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const SCRIPT: readonly ScriptedTurn[] = [
  {
    reasoning: 'Something to think about.',
    text: 'The first round begins.',
    calls: [{ name: 'echo', arguments: { text: 'hidden' } }],
    frameLength: 3,
  },
  { text: 'The second one — ähnlich.', calls: [{ name: 'echo', arguments: { text: 'hidden' } }], frameLength: 3 },
  {
    text: 'The last one.',
    calls: [
      { name: 'weather', arguments: { city: 'Bonn', days: 3 } },
      { name: 'echo', arguments: { text: 'hidden' } },
      { name: 'weather', arguments: { city: 'Köln' } },
    ],
    frameLength: 3,
  },
];

const KINDS = [
  ...WIRE_FORMATS.map((format) => ({ format, asArray: false })),
  { format: 'gemini', asArray: true } as const,
];

it.each(KINDS)(
  'a client receives each word and each of its calls in $format before the provider sends the next (array: $asArray)',
  async ({ format, asArray }) => {
    const heard = createHearing();
    const upstream = await startLockStep(SCRIPT, { client: heard, format, isVisible: (tool) => tool === 'weather' });
    const { url } = await startGatewayTo(upstream, {}, [ECHO_HANDLER]);
    const options = { url, format, asArray, stream: true, tools: [WEATHER] };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    expect(response.status).toBe(200);
    const reader = wireFormat(format).createStreamReader();
    for await (const chunk of response.body ?? [])
      heard.hear(reader.read(chunk as Uint8Array).flatMap(({ events }) => events));
    reader.end();
    const { calls, text, stop } = reader.turn();
    expect(calls.map(({ argumentsText }) => JSON.parse(argumentsText) as unknown)).toEqual([
      { city: 'Bonn', days: 3 },
      { city: 'Köln' },
    ]);
    expect(text.replaceAll(/\s+/g, '')).toBe('Thefirstroundbegins.Thesecondone—ähnlich.Thelastone.');
    expect(stop).toBe('tool-calls');
    expect(heard.all).not.toContain('hidden');
    expect(upstream.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(upstream.requests).toHaveLength(3);
  },
);
