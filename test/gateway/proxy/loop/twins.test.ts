import { describe, expect, it } from 'vitest';
import type {
  Conversation,
  RecordedRequest,
  ScriptedTurn,
} from '../../../../packages/skillwright/src/testing/index.ts';
import { createLoopClient, KINDS, WEATHER, type LoopClient, type LoopClientOptions } from './loop-client.ts';
import { SAMPLE_SKILLS, startLoop, type Loop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

/** A model that answers everyone alike but hides a different word from each. */
function createTwins(
  calls: readonly { name: string; arguments: unknown; id?: null }[] = [],
): (conversation: Conversation) => ScriptedTurn {
  let words = 0;
  return ({ userText, results }) => {
    if (results.length > 0) return { text: 'Done.' };
    if (userText !== 'Begin.') return { text: 'Bye.' };
    words += 1;
    const id = calls.some((call) => call.id === null) ? { id: null } : {};
    return { calls: [{ name: 'echo', arguments: { text: `word-${words}` }, ...id }, ...calls] };
  };
}

function startTwins(calls?: Parameters<typeof createTwins>[0]): Promise<Loop> {
  return startLoop({ model: { respond: createTwins(calls) }, handlers: [ECHO_HANDLER] });
}

function client(loop: Loop, options: Omit<LoopClientOptions, 'url'>, session?: string): LoopClient {
  const headers = session === undefined ? {} : { 'x-skillwright-session': session };
  return createLoopClient({ url: loop.url, ...options, headers });
}

/** The hidden words in the provider's last request. Expects that nothing was refused. */
function lastWords({ model }: Loop): readonly string[] {
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  return wordsIn(model.requests.at(-1));
}

function wordsIn(request: RecordedRequest | undefined): readonly string[] {
  return [...(request?.text ?? '').matchAll(/echo of (word-\d)/g)].map(([, word = '']) => word);
}

describe.each(KINDS)('two conversations that look the same, in $format, streaming: $stream', (kind) => {
  it('keep their own hidden rounds if their clients name sessions', async () => {
    const loop = await startTwins();
    const [first, second] = [client(loop, kind, 'one'), client(loop, kind, 'two')];
    await first.say('Begin.');
    await second.say('Begin.');
    expect(second.history).toHaveLength(first.history.length);
    await first.say('Go on.');
    expect(lastWords(loop)).toEqual(['word-1']);
    await second.say('Go on.');
    expect(lastWords(loop)).toEqual(['word-2']);
  });

  it('continue without hidden rounds if no session names them, so that neither gets the other’s', async () => {
    const loop = await startTwins();
    const [first, second] = [client(loop, kind), client(loop, kind)];
    await first.say('Begin.');
    await first.say('Go on.');
    expect(lastWords(loop)).toEqual(['word-1']);
    await second.say('Begin.');
    for (const each of [first, second]) {
      await each.say('And on.');
      expect(lastWords(loop)).toEqual([]);
    }
  });

  it('keep their own hidden rounds if their system texts differ', async () => {
    const loop = await startTwins();
    const [first, second] = ['one', 'two'].map((name) => client(loop, { ...kind, system: `You help ${name}.` }));
    await first?.say('Begin.');
    await second?.say('Begin.');
    await first?.say('Go on.');
    expect(lastWords(loop)).toEqual(['word-1']);
    await second?.say('Go on.');
    expect(lastWords(loop)).toEqual(['word-2']);
  });

  it('continue without hidden rounds if both use one session name by mistake', async () => {
    const loop = await startTwins();
    const [first, second] = [client(loop, kind, 'same'), client(loop, kind, 'same')];
    await first.say('Begin.');
    await second.say('Begin.');
    for (const each of [first, second]) {
      await each.say('Go on.');
      expect(lastWords(loop)).toEqual([]);
    }
  });

  it('keep their hidden rounds if a session that began unnamed gets a name', async () => {
    const loop = await startTwins();
    const first = client(loop, kind);
    await first.say('Begin.');
    const headers = { 'x-skillwright-session': 'late' };
    await createLoopClient({ url: loop.url, ...kind, headers }, first.history).say('Go on.');
    expect(lastWords(loop)).toEqual(['word-1']);
  });

  it('are separate for different keys, even with one session name', async () => {
    const loop = await startTwins();
    await client(loop, kind, 'same').say('Begin.');
    const begun = client(loop, kind, 'same');
    await begun.say('Begin.');
    const { secret } = await loop.gateway.keys.create({ name: 'other', scopes: ['proxy'] });
    const headers = { 'x-skillwright-session': 'same', authorization: `Bearer ${secret}` };
    await createLoopClient({ url: loop.url, ...kind, headers }, begun.history).say('Go on.');
    expect(lastWords(loop)).toEqual([]);
  });
});

const MIXED = [{ name: 'weather', arguments: { city: 'Bonn' } }];
const WITHOUT_IDS = [{ name: 'weather', arguments: { city: 'Bonn' }, id: null }];

describe.each([true, false])('similar Gemini turns with client and skill calls, streaming: %s', (stream) => {
  const kind = { format: 'gemini', stream, tools: [WEATHER] } as const;

  it('are told apart by the ids of their calls', async () => {
    const loop = await startTwins(MIXED);
    const [first, second] = [client(loop, kind), client(loop, kind)];
    await first.say('Begin.');
    await second.say('Begin.');
    await second.answer('sunny');
    expect(lastWords(loop)).toEqual(['word-2']);
    await first.answer('rainy');
    expect(lastWords(loop)).toEqual(['word-1']);
    expect(loop.model.requests.at(-1)?.conversation?.results.map(({ name }) => name)).toEqual(['echo', 'weather']);
  });

  it('get only the client’s results if the calls have no ids', async () => {
    const loop = await startTwins(WITHOUT_IDS);
    const [first, second] = [client(loop, kind), client(loop, kind)];
    await first.say('Begin.');
    await second.say('Begin.');
    for (const each of [second, first]) {
      await each.answer('sunny');
      expect(lastWords(loop)).toEqual([]);
      const { results, messages } = loop.model.requests.at(-1)?.conversation ?? {};
      expect(results?.map(({ name }) => name)).toEqual(['weather']);
      expect(messages?.flatMap(({ calls }) => calls.map(({ name }) => name))).toEqual(['weather']);
    }
  });

  it('map a client’s own result id to the id that the provider knows', async () => {
    const loop = await startTwins(MIXED);
    const begun = client(loop, kind);
    await begun.say('Begin.');
    // The client drops the ids of calls but keeps its own ids on results.
    const history = JSON.parse(JSON.stringify(begun.history).replaceAll(/"id":"[^"]*",/g, '')) as unknown[];
    const answer = { functionResponse: { id: 'an-id-of-its-own', name: 'weather', response: { output: 'sunny' } } };
    await createLoopClient({ url: loop.url, ...kind }, [...history, { role: 'user', parts: [answer] }]).say('And?');
    expect(lastWords(loop)).toEqual(['word-1']);
    expect(loop.model.requests.at(-1)?.text).not.toContain('an-id-of-its-own');
  });
});

describe('a session hint', () => {
  const TASK = 'Count the words of "one two three".';
  const injected = (told: { headers: Headers }): string => told.headers.get('x-skillwright-injected') ?? '';
  const start = (): Promise<Loop> =>
    startLoop({
      model: { script: [{ text: 'Hello.' }], afterScript: 'repeat', strictness: 'off' },
      config: { skills: SAMPLE_SKILLS },
    });

  it.each([
    ['openai-chat', { headers: { 'x-skillwright-session': 's' } }],
    ['anthropic-messages', { headers: { 'x-skillwright-session': 's' } }],
    ['gemini', { headers: { 'x-skillwright-session': 's' } }],
    ['openai-chat', { extra: { prompt_cache_key: 'k' } }],
    ['openai-responses', { extra: { prompt_cache_key: 'k' } }],
    ['openai-responses', { extra: { conversation: 'conv_1' } }],
    ['openai-responses', { extra: { conversation: { id: 'conv_1' } } }],
  ] as const)('in %s keeps the skills for a new history: %j', async (format, hint) => {
    const loop = await start();
    const authorization = await managerOf(loop);
    const say = (text: string, more: Partial<LoopClientOptions> = hint): ReturnType<LoopClient['say']> =>
      createLoopClient({
        url: loop.url,
        format,
        stream: false,
        ...more,
        headers: { authorization, ...more.headers },
      }).say(text);
    expect(injected(await say(TASK))).toContain('word-count');
    expect(injected(await say('Thank you.'))).toContain('word-count');
    // Without the hint, or with another one, the gateway knows no skills.
    expect(injected(await say('Thank you.', {}))).toBe('');
    const other = JSON.parse(JSON.stringify(hint).replaceAll(/"(?:s|k|conv_1)"/g, '"other"')) as typeof hint;
    expect(injected(await say('Thank you.', other))).toBe('');
    const headers = { ...('headers' in hint ? hint.headers : {}), authorization: await managerOf(loop) };
    expect(injected(await say('Thank you.', { ...hint, headers }))).toBe('');
  });

  it('does not outrank the history', async () => {
    const loop = await start();
    const options = { url: loop.url, format: 'openai-chat', stream: false } as const;
    const known = createLoopClient(options);
    const shown = injected(await known.say(TASK));
    const headers = { 'x-skillwright-session': 's', 'x-skillwright-skills': 'csv-stats' };
    await createLoopClient({ ...options, headers }).say('The mean of a column of a CSV file, please.');
    const branch = createLoopClient({ ...options, headers: { 'x-skillwright-session': 's' } }, known.history);
    const told = await branch.say('Thank you.');
    expect(shown).toMatch(/^word-count(?:$|, )/);
    expect(injected(told)).toBe(shown);
  });
});

it('a conversation kept by the provider never restores hidden rounds of another', async () => {
  const loop = await startTwins();
  const headers = { authorization: await managerOf(loop) };
  const options = { url: loop.url, format: 'openai-responses', stream: false, headers } as const;
  const kept = createLoopClient({ ...options, extra: { conversation: 'conv_1' } });
  await kept.say('Begin.');
  await createLoopClient(options, kept.history).say('Go on.');
  expect(wordsIn(loop.model.requests.at(-1))).toEqual([]);
});

/** Makes a key with access to every conversation of the provider. */
async function managerOf({ gateway }: Loop): Promise<string> {
  const { secret } = await gateway.keys.create({ name: 'manager', scopes: ['proxy', 'manage'] });
  return `Bearer ${secret}`;
}
