import { describe, expect, it } from 'vitest';
import { planDemoTurn } from '../../packages/skillwright/src/models/demo/planner.ts';
import { serveDemo } from '../../packages/skillwright/src/models/demo/serve.ts';
import { WIRE_FORMATS, type WireBody, type WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';

const MEGABYTE = 1_000_000;
const DEPTH = 50_000;
/** Enough text to run for minutes if anything were quadratic. */
const LENGTH = 200_000;

function requestOf(format: WireFormatName, input: string, system = ''): WireBody {
  return wireFormat(format).createRequest({ model: 'demo', system, input, tools: [], stream: false });
}

function said(format: WireFormatName, body: WireBody): string {
  const { chunks } = serveDemo(format, body, { stream: false });
  return wireFormat(format).readResponse(JSON.parse(Buffer.concat(chunks).toString())).text;
}

describe.each(WIRE_FORMATS)('a hostile request in %s', (format) => {
  it('without tools and system text gets a description of the demo model', () => {
    expect(said(format, requestOf(format, 'Hello'))).toBe(
      'This is a demo that follows rules, not a language model. ' +
        'No skill is offered to me, so there is nothing that I can do for you.',
    );
  });

  it.each([
    {},
    { messages: null, input: 7, contents: 'x', tools: {}, system: [] },
    { messages: [null, 1, 'a', []], input: [null, 1, []], contents: [null, { parts: 'x' }], tools: [null, 'x'] },
  ])('gets a response even if it is invalid: %j', (body) => {
    expect(said(format, body)).toContain('not a language model');
  });

  it.each([true, false])(
    'gets a response or a refusal in its format if it is nested deeply (streamed: %s)',
    (stream) => {
      const deep = JSON.parse('['.repeat(DEPTH) + ']'.repeat(DEPTH)) as unknown;
      const { status, chunks } = serveDemo(format, { ...requestOf(format, 'Hello'), metadata: deep }, { stream });
      expect(status).toBe(400);
      expect(Buffer.concat(chunks).toString()).toContain('The request is nested too deeply.');
    },
  );

  it('is read in full with a million characters', () => {
    const text = 'word '.repeat(MEGABYTE / 5);
    const schema = { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] };
    const tools = [{ name: 'count_words', description: '', inputSchema: schema }];
    const input = `Call count_words with "${text}"`;
    const body = wireFormat(format).createRequest({ model: 'demo', system: '', input, tools, stream: true });
    const { chunks } = serveDemo(format, body, { stream: true });
    const reader = wireFormat(format).createStreamReader();
    for (const chunk of chunks) reader.read(chunk);
    reader.end();
    expect(JSON.parse(reader.turn().calls[0]?.argumentsText ?? '')).toEqual({ text });
  });
});

describe('a stream of the demo for Gemini', () => {
  it('may be one JSON array', () => {
    const reply = serveDemo('gemini', requestOf('gemini', 'Hello'), { stream: true, framing: 'json-array' });
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const parts = JSON.parse(Buffer.concat(reply.chunks).toString()) as unknown[];
    expect(parts.length).toBeGreaterThan(2);
  });
});

describe('a very long text', () => {
  const REPEATED = [
    '"',
    '“',
    "'",
    "'a",
    '`',
    '```',
    ':',
    '.',
    '/',
    ' ',
    '\n',
    '{',
    '{"',
    '[',
    '-',
    '# ',
    '- a: ',
    '1 ',
    'a',
    '"a" ',
  ];
  const TIMES = REPEATED.flatMap((part) => [part, `${part}x`]).map((part) => [JSON.stringify(part), part] as const);
  const loadTool = { name: 'load_skill', description: '', schema: {} };
  const useTool = { name: 'use_skill', description: '', schema: {} };

  it.each(TIMES)('in %s is handled like any other task or instructions', (_name, part) => {
    const text = part.repeat(Math.ceil(LENGTH / part.length));
    const system = `## Available Skills\n${text}`;
    const first = planDemoTurn({ system, messages: [], tools: [loadTool, useTool], userText: text });
    expect(first.text).toContain('not a language model');
    const call = { id: 'call_1', name: 'load_skill', argumentsText: '{"skill":"a"}' };
    const files = '\n\nFiles of this skill:\n- scripts/a.mjs\n';
    for (const result of [
      text,
      `Base directory for this skill: /a\n\n${text}${files}`,
      `{"error":${JSON.stringify(text)}}`,
    ]) {
      const turn = planDemoTurn({
        system,
        messages: [
          { role: 'user', text, calls: [], results: [] },
          { role: 'assistant', text: '', calls: [call], results: [] },
          {
            role: 'tool',
            text: '',
            calls: [],
            results: [{ callId: 'call_1', name: 'load_skill', text: result, isError: false }],
          },
        ],
        tools: [loadTool, useTool],
        userText: text,
      });
      expect(turn.calls).toBeUndefined();
    }
  });
});
