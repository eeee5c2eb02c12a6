import { expect, it } from 'vitest';
import {
  candidate,
  GEMINI,
  GEMINI_STREAM,
  message,
  MESSAGES,
  messageStream,
  say,
  sse,
  startRawLoop,
  toolUse,
  WEATHER,
  type RawTurn,
} from './raw-loop.ts';

/** More digits than a double holds, and a fraction that JavaScript would write differently. */
const NUMBERS = '{"order":1234567890123456789,"ratio":1.0}';
const INPUT = { order: 'here' };

function withNumbers(text: string): string {
  return text
    .replace('{"order":"here"}', NUMBERS)
    .replace(String.raw`{\"order\":\"here\"}`, NUMBERS.replaceAll('"', String.raw`\"`));
}

function json(value: object): RawTurn {
  return (answer) =>
    void answer.writeHead(200, { 'content-type': 'application/json' }).end(withNumbers(JSON.stringify(value)));
}

const ANTHROPIC = { model: 'some-model', max_tokens: 9, tools: [WEATHER.anthropic], messages: [say('x')] };
const GOOGLE = { tools: [WEATHER.gemini], contents: [{ role: 'user', parts: [{ text: 'x' }] }] };
const GEMINI_CALL = candidate([{ functionCall: { name: 'weather', args: INPUT } }], 'STOP');
const GEMINI_ECHO = candidate([{ functionCall: { name: 'echo', args: { text: 'x' } } }], 'STOP');
const USE = toolUse('t2', 'weather', INPUT);

it('passes on a whole answer byte for byte if nothing is hidden', async () => {
  const given = withNumbers(JSON.stringify(message([USE], 'tool_use'), undefined, 3)).replace(
    '"here"',
    '1234567890123456789',
  );
  const loop = await startRawLoop([
    (answer) => void answer.writeHead(200, { 'content-type': 'application/json' }).end(given),
  ]);
  const answer = await loop.post(MESSAGES, ANTHROPIC);
  expect(await answer.text()).toBe(given);
  expect(answer.headers.get('content-type')).toContain('application/json');
});

it.each([
  ['after a skill', [json(GEMINI_ECHO), json(GEMINI_CALL)]],
  ['at once', [json(GEMINI_CALL)]],
] as const)('keeps the spelling of numbers in whole arguments, %s', async (_when, turns) => {
  const loop = await startRawLoop([...turns]);
  expect(await (await loop.post(GEMINI, GOOGLE)).text()).toContain(NUMBERS);
});

it.each([
  ['after a skill', [sse(GEMINI_ECHO), withNumbers(sse(GEMINI_CALL))]],
  ['at once', [withNumbers(sse(GEMINI_CALL))]],
] as const)('keeps the spelling of numbers in streamed arguments, %s', async (_when, turns) => {
  const loop = await startRawLoop([...turns]);
  expect(await (await loop.post(GEMINI_STREAM, GOOGLE)).text()).toContain(NUMBERS);
});

it.each([true, false])(
  'sends numbers upstream unchanged, both those that the gateway kept and the client’s own (streaming: %s)',
  async (stream) => {
    const mixed = [toolUse('t1', 'echo', { text: 'x' }), USE];
    const first = stream ? withNumbers(messageStream(mixed, 'tool_use')) : json(message(mixed, 'tool_use'));
    const loop = await startRawLoop([first, stream ? messageStream([{ type: 'text', text: 'Done.' }]) : message([])]);
    await (await loop.post(MESSAGES, { ...ANTHROPIC, stream })).text();
    const result = { type: 'tool_result', tool_use_id: 't2', content: 'ok' };
    const messages = [say('x'), { role: 'assistant', content: [USE] }, say([result]), say('and?')];
    await (await loop.post(MESSAGES, withNumbers(JSON.stringify({ ...ANTHROPIC, stream, messages })))).text();
    const kept = loop.seen[1]?.body.toString();
    expect(kept).toContain('echo of x');
    expect(kept).toContain(NUMBERS);
    const unknown = [say('other'), { role: 'assistant', content: [USE] }, say([result])];
    await (await loop.post(MESSAGES, withNumbers(JSON.stringify({ ...ANTHROPIC, stream, messages: unknown })))).text();
    expect(loop.seen[2]?.body.toString()).toContain(NUMBERS);
  },
);
