import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeTurn } from '../../../packages/skillwright/src/agent/turn/agent-turn.ts';
import { textOutcome } from '../../../packages/skillwright/src/agent/tools/tool-outcome.ts';
import { createTurnBudget } from '../../../packages/skillwright/src/agent/turn/turn-budget.ts';
import { DEFAULT_TURN_BOUNDS } from '../../../packages/skillwright/src/agent/turn/turn.ts';
import { driveTurn } from '../../../packages/skillwright/src/host.ts';
import { runAgent, type RunAgentOptions, type TraceEvent } from '../../../packages/skillwright/src/index.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { addUsage } from '../../../packages/skillwright/src/wire/usage.ts';
import { callsReply, chatCall, chatReply, hostileClient, replyOf, type HostileClient } from './hostile-client.ts';
import { toolOf } from '../scripted-agent.ts';

const { promise: NEVER } = Promise.withResolvers<never>();
const FAILING = toolOf('fail', () => Promise.reject(new Error('It broke.')));
const WORKING = toolOf('work', () => 'Done.');

function run(model: HostileClient, options: Partial<RunAgentOptions> = {}) {
  return runAgent({ model, input: 'Go.', stream: false, ...options });
}

/** Drives a turn with the same client, without an agent around it. */
function drive(model: HostileClient, options: Partial<Parameters<typeof driveTurn>[0]> = {}) {
  const format = wireFormat(model.format);
  const stream = options.stream ?? false;
  const body = format.createRequest({ model: 'm', system: '', input: 'Go.', tools: [], stream });
  const execute = async ({ id, name }: { id: string; name: string }) =>
    ({ callId: id, name, content: [{ type: 'text', text: 'Done.' }], isError: false }) as const;
  return driveTurn({ format, body, stream, model, execute, ...options });
}

describe('the history of a run that reached a limit', () => {
  /** Makes two calls, the second beyond the limit, and then sends the given answer. */
  const windingUp = (message: Record<string, unknown>, finish: string) =>
    hostileClient((place) => (place < 2 ? callsReply(chatCall('work', {})) : chatReply(message, finish)));

  it.each([
    ['reasoning alone', { reasoning_content: 'Hm.' }, 'stop'],
    ['an empty answer', {}, 'stop'],
    ['an answer that is cut off in its reasoning', { reasoning_content: 'Hm.' }, 'length'],
    ['a refusal without text', { refusal: '…' }, 'stop'],
    ['a filtered answer', { content: 'Half a', reasoning_content: 'Hm.' }, 'content_filter'],
  ])('does not keep %s', async (_what, message, finish) => {
    const { messages } = await run(windingUp(message, finish), { tools: [WORKING], maxTurns: 1 });
    expect(messages.at(-1)).toMatchObject({ role: 'tool' });
  });

  it('keeps an answer with text', async () => {
    const result = await run(windingUp({ content: 'So.' }, 'stop'), { tools: [WORKING], maxTurns: 1 });
    expect(result).toMatchObject({ reason: 'max-turns', text: 'So.' });
    expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'So.' });
  });

  it('does not keep a refusal without text', async () => {
    const { messages, reason } = await run(hostileClient(() => chatReply({ refusal: '…' })));
    expect(reason).toBe('refusal');
    expect(messages).toEqual([{ role: 'user', content: 'Go.' }]);
  });
});

describe('a model that pauses forever', () => {
  it('is asked to continue only as often as calls are allowed', async () => {
    const paused = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] };
    const model = hostileClient(
      () => replyOf(JSON.stringify({ ...paused, stop_reason: 'pause_turn' })),
      'anthropic-messages',
    );
    expect(await run(model, { maxTurns: 3 })).toMatchObject({ reason: 'max-turns', rounds: 4 });
    expect(model.bodies).toHaveLength(4);
  });
});

describe('a model or hook that ignores its signal', () => {
  const silent = (): Promise<unknown> =>
    replyOf().then((reply) => ({
      ...(reply as object),
      chunks: { [Symbol.asyncIterator]: () => ({ next: () => NEVER }) },
    }));

  it.each([true, false])('does not delay the end after an abort (streamed: %s)', async (stream) => {
    for (const reply of [() => NEVER, silent]) {
      const controller = new AbortController();
      const model = hostileClient(() => {
        void setImmediate().then(() => controller.abort());
        return reply();
      });
      expect(await run(model, { stream, signal: controller.signal })).toMatchObject({ reason: 'cancelled', rounds: 1 });
    }
  });

  it.each([() => NEVER, silent])('does not delay the end after the time limit', async (reply) => {
    const ending = await drive(hostileClient(reply), { maxTimeMs: 5, graceMs: 5 });
    expect(ending).toMatchObject({ reason: 'max-time', rounds: 1 });
  });

  it('does not delay the end when compact or prepare never settles', async () => {
    for (const name of ['compact', 'prepare'] as const) {
      const controller = new AbortController();
      const model = hostileClient(() => chatReply({ content: 'Hi.' }));
      const wait = (): Promise<never> => {
        void setImmediate().then(() => controller.abort());
        return NEVER;
      };
      const ending = await drive(model, { signal: controller.signal, [name]: wait });
      expect(ending).toMatchObject({ reason: 'cancelled', rounds: 0 });
      expect(model.bodies).toHaveLength(0);
    }
  });

  it('has its stream closed when the turn is aborted', async () => {
    const controller = new AbortController();
    const { promise: isLeft, resolve } = Promise.withResolvers<boolean>();
    const next = (): Promise<never> => {
      controller.abort();
      return NEVER;
    };
    const iterator = { next, return: async () => resolve(true) };
    const chunks = { [Symbol.asyncIterator]: () => iterator };
    const model = hostileClient(async () => ({ ok: true, status: 200, headers: {}, chunks }));
    await run(model, { signal: controller.signal });
    expect(await isLeft).toBe(true);
  });
});

describe('a client that breaks its contract', () => {
  it.each([
    [
      'throws',
      (): never => {
        throw new TypeError('No.');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('No.'))],
    ['returns nothing', async () => undefined],
    ['returns no chunks', async () => ({ ok: true, status: 200, headers: {} })],
    ['returns no failure', async () => ({ ok: false })],
    ['yields text', () => replyOf(7)],
    ['yields nothing at all', () => replyOf(undefined)],
  ])('counts as a failed model when it %s', async (_what, reply) => {
    for (const stream of [true, false]) {
      const ending = await drive(hostileClient(reply), { stream, bounds: { maxAttempts: 1 } });
      expect(ending).toMatchObject({ reason: 'model-error', failure: { kind: 'connection' } });
    }
  });

  it('may yield very many frames at once', async () => {
    const frame = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'x' } }] })}\n\n`;
    const end = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
    const { text, reason } = await drive(
      hostileClient(() => replyOf(frame.repeat(200_000) + end)),
      { stream: true },
    );
    expect({ length: text.length, reason }).toEqual({ length: 200_000, reason: 'end' });
  });
});

describe('an executor that breaks its contract', () => {
  it.each([
    [
      'throws',
      (): never => {
        throw new TypeError('No.');
      },
      'Error: No.',
    ],
    ['returns nothing', async () => undefined as never, 'returned no result'],
  ])('fails the call when it %s', async (_what, execute, told) => {
    const model = hostileClient((place) =>
      place === 0 ? callsReply(chatCall('work', {})) : chatReply({ content: 'So.' }),
    );
    const { reason, steps } = await drive(model, { execute });
    expect(reason).toBe('end');
    expect(JSON.stringify(steps[0]?.results)).toContain(told);
  });
});

describe('listeners', () => {
  it('may reject later without harm', async () => {
    const late = (): void => Promise.reject(new Error('A listener broke.')) as never;
    const unheard: unknown[] = [];
    const listen = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', listen);
    onTestFinished(() => void process.off('unhandledRejection', listen));
    const model = hostileClient((place) =>
      place === 0 ? callsReply(chatCall('work', {})) : chatReply({ content: 'So.' }),
    );
    const result = await run(model, { tools: [WORKING], onEvent: late, onTrace: late });
    await setImmediate();
    expect(result.reason).toBe('end');
    expect(unheard).toEqual([]);
  });
});

describe('a call that fails', () => {
  it('counts each round once toward repeated failures, however many calls the round has', async () => {
    const same = (): Promise<unknown> => callsReply(...['a', 'b', 'c'].map((id) => chatCall('fail', {}, id)));
    const model = hostileClient((place) => (place < 9 ? same() : chatReply({ content: 'So.' })));
    const ran: string[] = [];
    const onTrace = (event: TraceEvent): void => void (event.type === 'tool_error' && ran.push(event.data.callId));
    const result = await run(model, { tools: [FAILING], onTrace });
    expect(result.reason).toBe('repeated-failures');
    expect(ran).toHaveLength(9);
  });

  it('counts as the same call only if its arguments are equal as JSON', () => {
    const budget = createTurnBudget({ ...DEFAULT_TURN_BOUNDS, maxRepeats: 2 });
    const fail = (argumentsText: string): void => {
      const result = { callId: 'a', name: 'fail', content: [], isError: true };
      budget.addResults([{ id: 'a', name: 'fail', argumentsText }], [result]);
    };
    fail('{"text":"a b"}');
    fail('{"text":"ab"}');
    expect(budget.spent).toBeUndefined();
    fail('{ "text" : "ab" }');
    expect(budget.spent).toBe('repeated-failures');
  });
});

describe('call ids that a provider reuses', () => {
  it('are made unique in the history, and only the matching result is dropped', async () => {
    const model = hostileClient((place) =>
      place < 3 ? callsReply(chatCall('work', { place }, 'call_0')) : chatReply({ content: 'So.' }),
    );
    const result = await takeTurn({
      model,
      stream: false,
      system: '',
      history: [],
      input: 'Go.',
      tools: [],
      session: undefined,
      runId: 'run',
      execute: async ({ arguments: args }) => ({
        ...textOutcome(`Done ${String(args)}`),
        isPassing: args === '{"place":1}',
      }),
    });
    const answers = result.messages.filter((message) => (message as { role: string }).role === 'tool') as {
      tool_call_id: string;
      content: string;
    }[];
    expect(answers[0]).toEqual({ role: 'tool', tool_call_id: 'call_0', content: 'Done {"place":0}' });
    expect(answers.map(({ content }) => content.startsWith('Done'))).toEqual([true, false, true]);
    expect(new Set(answers.map(({ tool_call_id: id }) => id)).size).toBe(3);
    const next = hostileClient((place) =>
      place === 0 ? callsReply(chatCall('work', {}, 'call_0')) : chatReply({ content: 'So.' }),
    );
    const { messages } = await run(next, { tools: [WORKING], history: result.messages });
    expect(JSON.stringify(messages).split('"tool_call_id":"call_0"')).toHaveLength(2);
  });
});

describe('an API key that a provider repeats in an error', () => {
  const KEY = 'sk-secret-12345678';
  const ERROR = JSON.stringify({ error: { message: `bad key ${KEY}` } });

  it.each([
    [false, 'application/json', ERROR],
    [true, 'text/event-stream', `data: ${ERROR}\n\n`],
  ])('is redacted in errors and traces (streamed: %s)', async (stream, type, text) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': type }).end(text);
    });
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const told: unknown[] = [];
    const tell = (event: unknown): void => void told.push(event);
    const model = { format: 'openai-chat', model: 'm', apiKey: KEY, baseUrl } as const;
    const result = await runAgent({ model, input: 'Go.', stream, onTrace: tell, onEvent: tell });
    expect(result.error).toContain('bad key');
    expect(JSON.stringify([result, told])).not.toContain(KEY);
  });
});

describe('numbers and delays from a provider', () => {
  it('never make a usage that JSON cannot represent', async () => {
    const usage = { prompt_tokens: 1e308, completion_tokens: 1e308, total_tokens: 1e308 };
    const model = hostileClient((place) =>
      place < 2
        ? chatReply({ tool_calls: [chatCall('work', {})] }, 'tool_calls', { usage })
        : chatReply({ content: 'So.' }),
    );
    const result = await run(model, { tools: [WORKING] });
    expect(result.usage).toMatchObject({ input: Number.MAX_SAFE_INTEGER, output: Number.MAX_SAFE_INTEGER });
    expect(addUsage(result.usage, result.usage)).toEqual(result.usage);
  });

  it('never extend a turn beyond its time limit', async () => {
    const failure = { kind: 'status', message: 'Too many requests.', isPassing: true, retryAfterMs: 59_000 };
    const model = hostileClient(async () => ({ ok: false, failure }));
    const retried: unknown[] = [];
    const ending = await drive(model, { maxTimeMs: 100, onRetry: (retry) => void retried.push(retry) });
    expect(ending).toMatchObject({ reason: 'model-error', error: 'Too many requests.', failure });
    expect(retried).toEqual([]);
    expect(model.bodies).toHaveLength(1);
  });
});
