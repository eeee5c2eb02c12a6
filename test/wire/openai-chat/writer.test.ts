import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { openaiChat } from '../../../packages/skillwright/src/wire/openai-chat/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import {
  checkStream,
  createWriter,
  readText,
  STREAMS,
  streamOf,
  streamText,
  textOf,
  writeRounds,
} from './recorded-streams.ts';

const role = { role: 'assistant', content: '' };
const call = (index: number, id: string, name: string, text = '{}'): WireBody => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
});
const usage = (input: number, output: number): WireBody => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: 1 },
});

/** Streams with defects of their own, which the writer repairs or omits. */
const MENDED = new Set(['same-index', 'no-index', 'error-only']);

describe('one round with nothing to hide', () => {
  it.each(STREAMS.filter((name) => !MENDED.has(name)))('%s passes through byte for byte', (name) => {
    expect(writeRounds([streamText(name)])).toBe(streamText(name));
    const windows = streamText(name).replaceAll('\n', '\r\n');
    expect(writeRounds([windows])).toBe(windows);
  });

  it('gets call numbers that a client can distinguish', () => {
    expect(checkStream(writeRounds([streamText('same-index')]))).toEqual(['has not one role']);
    expect(readText(writeRounds([streamText('no-index')])).turn.calls).toHaveLength(2);
  });

  it('gets the end marker that the provider omitted', () => {
    const text = streamOf('x', [role, { content: 'hi' }], 'stop');
    expect(writeRounds([text.replace('data: [DONE]\n\n', '')])).toBe(text);
    expect(writeRounds([text.replace('\n\ndata: [DONE]\n\n', '')])).toBe(text);
    expect(writeRounds([text.trimEnd()])).toBe(text.trimEnd());
  });

  it('has its frames sent as soon as possible', () => {
    const writer = createWriter({ hidden: ['load_skill'] });
    const seen = readText(streamText('text')).steps.map((step) => writer.write(step).length);
    expect(seen).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
    expect(writer.finish()).toHaveLength(3);
  });
});

describe('usage', () => {
  it('is omitted if the client did not request it', () => {
    for (const name of ['text', 'openrouter-reasoning', 'deepseek-reasoning']) {
      const text = writeRounds([streamText(name)], { includesUsage: false });
      expect(readText(text).turn, name).toEqual({ ...readText(streamText(name)).turn, usage: undefined });
      expect(text).not.toContain('prompt_tokens');
    }
  });

  it('is the sum of all rounds, number by number', () => {
    const rounds = [
      streamOf('a', [role, call(0, 'c', 'load_skill')], 'tool_calls', usage(10, 5)),
      streamOf('b', [role, { content: 'x' }], 'stop', usage(20, 3)),
    ];
    const text = writeRounds(rounds, { hidden: ['load_skill'] });
    expect(text).toContain(
      '"usage":{"prompt_tokens":30,"completion_tokens":8,"total_tokens":38,"prompt_tokens_details":{"cached_tokens":2}}',
    );
    expect(checkStream(text)).toEqual([]);
  });

  it('is sent even if the last round reports none', () => {
    const rounds = [
      streamOf('a', [role, call(0, 'c', 'load_skill')], 'tool_calls', usage(10, 5)),
      streamOf('b', [{ content: 'x' }], 'stop'),
    ];
    const text = writeRounds(rounds, { hidden: ['load_skill'] });
    expect(readText(text).turn.usage).toMatchObject({ input: 10, output: 5 });
    expect(checkStream(text)).toEqual([]);
    expect(writeRounds(rounds, { hidden: ['load_skill'], includesUsage: false })).not.toContain('usage');
  });
});

describe('several rounds in one stream', () => {
  it('make one stream with the id, time and model of the first round', () => {
    const rounds = [
      streamOf('a', [role, { content: 'Let me look.' }, call(0, 'c1', 'load_skill')], 'tool_calls', usage(1, 1)),
      streamOf('bb', [role, call(0, 'c2', 'use_skill'), call(1, 'c3', 'load_skill')], 'tool_calls', usage(2, 1)),
      streamOf('ccc', [role, { content: 'Done' }, { content: '.' }], 'stop', usage(3, 1)),
    ];
    const text = writeRounds(rounds, { hidden: ['load_skill', 'use_skill'] });
    expect(checkStream(text)).toEqual([]);
    expect(text).not.toMatch(/skill/);
    expect(readText(text).turn).toMatchObject({
      id: 'a',
      model: 'model-of-a',
      text: 'Let me look.\n\nDone.',
      calls: [],
      stop: 'end',
      usage: { input: 6, output: 3 },
    });
  });

  it('keep reasoning of different rounds separate', () => {
    const detail = (text: string): WireBody => ({
      reasoning: text,
      reasoning_details: [{ type: 'reasoning.text', text, signature: `of ${text}`, index: 0 }],
    });
    const rounds = [
      streamOf('a', [role, detail('one'), call(0, 'c', 'load_skill')], 'tool_calls'),
      streamOf('b', [role, detail('two'), { content: 'x' }], 'stop'),
    ];
    const { turn } = readText(writeRounds(rounds, { hidden: ['load_skill'] }));
    expect(turn.reasoning).toBe('one\n\ntwo');
    expect(turn.echo).toMatchObject({
      reasoning_details: [
        { text: 'one', signature: 'of one', index: 0 },
        { text: 'two', signature: 'of two', index: 1 },
      ],
    });
  });

  it('do not lose text that comes with the finish reason', () => {
    const end = streamOf('a', [role, { content: 'A' }], 'tool_calls').replace('"delta":{}', '"delta":{"content":"B"}');
    const text = writeRounds([end, streamOf('b', [{ content: 'C' }], 'stop')]);
    expect(readText(text).turn.text).toBe('AB\n\nC');
    expect(checkStream(text)).toEqual([]);
  });

  it('are separated by a blank line, except where there is one already or no text comes before', () => {
    const first = (content: string): string => streamOf('a', [role, { content }], 'tool_calls');
    const second = streamOf('b', [role, { content: '' }, { content: 'C' }], 'stop');
    expect(readText(writeRounds([first('A\n\n'), second])).turn.text).toBe('A\n\nC');
    expect(readText(writeRounds([first(''), second])).turn.text).toBe('C');
  });

  it('are valid if the first round has no visible content', () => {
    const rounds = [
      streamOf('a', [{ ...role, ...call(0, 'c', 'load_skill') }], 'tool_calls'),
      streamOf('b', [role, { content: 'x' }], 'stop'),
    ];
    const text = writeRounds(rounds, { hidden: ['load_skill'] });
    expect(checkStream(text)).toEqual([]);
    expect(text).toContain('"delta":{"role":"assistant","content":""}');
  });

  it('do not include a round that failed before it showed anything', () => {
    const writer = createWriter({});
    expect(readText(streamText('error-only')).steps.flatMap((step) => writer.write(step))).toEqual([]);
    expect(writer.nextRound()).toEqual([]);
    const retry = readText(streamOf('b', [role, { content: 'x' }], 'stop')).steps.flatMap((step) => writer.write(step));
    expect(textOf([...retry, ...writer.finish()])).toBe(streamOf('b', [role, { content: 'x' }], 'stop'));
  });

  it('keep unknown fields and the order of keys', () => {
    const odd =
      'data: {"zz":[1],"id":"b","created":9,"choices":[{"x":{"y":null},"delta":{"content":"q","w":1},"index":0}],"model":"m"}\n\n';
    const rounds = [streamOf('a', [role], 'tool_calls'), odd + streamOf('b', [], 'stop')];
    expect(writeRounds(rounds)).toContain(
      '{"zz":[1],"id":"a","created":1,"choices":[{"x":{"y":null},"delta":{"content":"q","w":1},"index":0}],"model":"model-of-a"}',
    );
  });

  it.each(['deepseek-reasoning', 'openrouter-reasoning', 'empty-arguments', 'parallel-calls'])(
    'are valid if both rounds are %s',
    (name) => {
      const hidden = ['load_skill', 'list_skills'];
      const text = writeRounds([streamText(name), streamText(name)], { hidden });
      const { turn } = readText(text);
      expect(turn.error).toBeUndefined();
      expect(turn.calls.some((made) => hidden.includes(made.name))).toBe(false);
      expect(checkStream(text).filter((problem) => problem !== 'has not one role')).toEqual([]);
    },
  );

  it('stop normally when the last calls were hidden', () => {
    const text = writeRounds([streamText('empty-arguments')], { hidden: ['list_skills'] });
    expect(readText(text).turn).toMatchObject({ text: 'Let me look.', stop: 'end', calls: [] });
    expect(checkStream(text)).toEqual([]);
  });

  it('get a finish reason if the last round has none', () => {
    const last = streamOf('b', [{ content: 'x' }], 'stop').replace('"stop"', 'null');
    const text = writeRounds([streamOf('a', [role], 'tool_calls'), last]);
    expect(checkStream(text)).toEqual([]);
    expect(readText(text).turn.stop).toBe('end');
  });
});

describe('mixed turns', () => {
  it("show the client's calls, numbered from 0, at once", () => {
    const text = writeRounds([streamText('parallel-calls')], { hidden: ['load_skill'] });
    expect(checkStream(text)).toEqual([]);
    expect(readText(text).turn).toMatchObject({
      stop: 'tool-calls',
      calls: [
        { id: 'call_Wq1', name: 'get_weather', argumentsText: '{"city":"Zürich"}' },
        { id: 'call_Nw3', name: 'now', argumentsText: '{}' },
      ],
    });
    expect(text).not.toContain('call_Ls2');
  });

  it('delay a call until its name is known', () => {
    const steps = readText(streamText('late-name')).steps;
    const open = createWriter({});
    expect(steps.slice(0, 3).map((step) => open.write(step).length)).toEqual([0, 0, 3]);
    const text = writeRounds([streamText('late-name')], { hidden: ['load_skill'] });
    expect(text).not.toContain('c1');
    expect(readText(text).turn.calls).toEqual([{ id: 'c2', name: 'search', argumentsText: '{"query":"x"}' }]);
    expect(checkStream(text)).toEqual([]);
  });

  it('work with any calls in any order', () => {
    const name = fc.constantFrom('load_skill', 'use_skill', 'mine', 'yours');
    const round = fc.array(fc.tuple(name, fc.string()), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 3 }), (rounds) => {
        const texts = rounds.map((calls, at) =>
          streamOf(
            `r${at}`,
            [role, ...calls.map(([made, text], index) => call(index, `c${at}-${index}`, made, text))],
            'tool_calls',
          ),
        );
        const text = writeRounds(texts, { hidden: ['load_skill', 'use_skill'] });
        expect(checkStream(text)).toEqual([]);
        const visible = rounds.flatMap((calls, at) =>
          calls.flatMap(([made, argumentsText], index) =>
            made.endsWith('_skill') ? [] : [{ id: `c${at}-${index}`, name: made, argumentsText }],
          ),
        );
        expect(readText(text).turn.calls).toEqual(visible);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('a failing stream', () => {
  it("ends with an error in the format's own form", () => {
    const writer = createWriter({});
    const steps = readText(streamOf('a', [role, { content: 'x' }], 'stop')).steps.slice(0, 2);
    const frames = [...steps.flatMap((step) => writer.write(step)), ...writer.fail('The upstream is gone.')];
    expect(readText(textOf(frames)).turn).toMatchObject({ error: 'The upstream is gone.', text: 'x' });
    expect(textOf(frames).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it("keeps the provider's own error, if there is one", () => {
    const writer = createWriter({});
    const frames = readText(streamText('error-middle')).steps.flatMap((step) => writer.write(step));
    expect(textOf(frames)).not.toContain('error');
    expect(textOf([...frames, ...writer.fail('ours')])).toBe(streamText('error-middle'));
  });

  it('never shows a call that was cut before its name', () => {
    const steps = readText(streamText('late-name')).steps.slice(0, 1);
    for (const end of ['fail', 'nextRound'] as const) {
      const writer = createWriter({});
      const text = textOf([...steps.flatMap((step) => writer.write(step)), ...writer[end]('cut')]);
      expect(text).not.toContain('tool_calls');
      expect(text).toContain('"role":"assistant"');
    }
  });

  it('never passes on a frame that would break the client', () => {
    const writer = createWriter({});
    const { steps } = readText(streamOf('a', [role], 'stop').slice(0, -60));
    const text = textOf([...steps.flatMap((step) => writer.write(step)), ...writer.fail('cut')]);
    expect(checkStream(text)).toEqual(['has 0 reasons to finish', 'goes on after its reason to finish']);
    expect(readText(text).turn.error).toBe('cut');
  });

  it('sends nothing more after its end', () => {
    const writer = createWriter({});
    const [step] = readText(streamText('text')).steps;
    expect(writer.finish()).toHaveLength(1);
    expect(writer.finish()).toEqual([]);
    expect(writer.fail('late')).toEqual([]);
    expect(writer.nextRound()).toEqual([]);
    expect(step === undefined ? undefined : writer.write(step)).toEqual([]);
  });

  it('keeps the connection alive with a comment', () => {
    const frame = createWriter({}).keepAlive();
    expect(frame).toEqual({ event: undefined, data: '', raw: ': keep-alive\n\n' });
  });
});

describe('whole responses of several rounds', () => {
  it('have the same content as their merged streams', () => {
    const hidden = ['load_skill', 'list_skills'];
    const isHidden = (name: string): boolean => hidden.includes(name);
    const deltas: readonly WireBody[][] = [
      [role, { content: 'One.' }, call(0, 'c1', 'load_skill')],
      [role, { content: '', reasoning_content: 'hm' }, call(0, 'c2', 'mine')],
    ];
    const texts = deltas.map((list, at) => streamOf(`r${at}`, list, 'tool_calls', usage(at + 1, 1)));
    const rounds = texts.map((text) => {
      const { echo, id, model } = readText(text).turn;
      const choices = [{ index: 0, message: echo, finish_reason: 'tool_calls' }];
      return { response: { id, created: 2, model, choices, usage: usage(Number(id?.slice(1)) + 1, 1) }, isHidden };
    });
    expect(openaiChat.readResponse(openaiChat.mergeResponses(rounds))).toEqual(
      readText(writeRounds(texts, { hidden })).turn,
    );
  });
});
