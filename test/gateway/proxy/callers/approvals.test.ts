import { describe, expect, it, vi } from 'vitest';
import type { Approval } from '../../../../packages/gateway/src/approvals/approvals.ts';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { createLoopClient, KINDS } from '../loop/loop-client.ts';
import { SAMPLE_SKILLS, startLoop, type Loop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'words' } }] };
const COUNT: ScriptedTurn = { calls: [{ name: 'count_words', arguments: { text: 'one two three' } }] };
const SAID: ScriptedTurn = { text: 'I asked.' };

/** Starts a gateway with a handler and a skill from a directory, both of which need approval. */
async function start(script: readonly ScriptedTurn[], limits: object = {}): Promise<Loop> {
  const loop = await startLoop({
    model: { script },
    config: { skills: SAMPLE_SKILLS, limits },
    handlers: [ECHO_HANDLER],
  });
  const { registry, handlers } = loop.gateway;
  await handlers.settled();
  for (const name of ['echo', 'word-count']) {
    const [skill] = await registry.getSkillVersions(name);
    await registry.update(skill?.id ?? '', { policy: 'hybrid' });
  }
  return loop;
}

function answers({ model }: Loop): readonly string[] {
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  return model.requests.flatMap(({ conversation }) => conversation?.results.map(({ text }) => text) ?? []);
}

async function pending({ gateway }: Loop): Promise<readonly Approval[]> {
  return (await gateway.approvals.list({ status: 'pending' }, { page: 1, limit: 10 })).data;
}

describe.each(KINDS)('a call that needs approval, in $format, streaming: $stream', (kind) => {
  it.each([
    ['a handler', ECHO, 'echo of words'],
    ['a tool of a skill', COUNT, '3'],
  ])(
    '%s: tells the model the approval id at once, and runs the call only after a person allows it',
    async (_what, call, answer) => {
      const loop = await start([call, SAID, call, SAID, call, SAID]);
      const client = createLoopClient({ url: loop.url, ...kind });
      await client.say('Count the words, please.');
      const [asked] = await pending(loop);
      const [first = ''] = answers(loop);
      expect(first).toContain('ApprovalRequired');
      expect(first).toContain(asked?.id);
      // Chat text never approves.
      await client.say(`I approve ${asked?.id}.`);
      expect((await pending(loop)).map(({ id }) => id)).toEqual([asked?.id]);
      expect(answers(loop).at(-1)).toContain(asked?.id);
      await loop.gateway.approvals.decide(asked?.id ?? '', 'allow', { scope: 'once', by: null });
      await client.say('And now?');
      expect(answers(loop).at(-1)).toContain(answer);
      expect(answers(loop).at(-1)).not.toContain('ApprovalRequired');
      expect(await pending(loop)).toEqual([]);
    },
  );
});

describe('the answer to a call that needs approval', () => {
  it.each([
    ['a handler', ECHO],
    ['a tool of a skill', COUNT],
  ])('has the same error codes for every kind of call: %s', async (_what, call) => {
    const loop = await start([call, SAID, call, SAID]);
    const client = createLoopClient({ url: loop.url, format: 'openai-chat', stream: false });
    await client.say('Count the words, please.');
    const [asked] = await pending(loop);
    await loop.gateway.approvals.decide(asked?.id ?? '', 'deny', { scope: 'once', by: null });
    await client.say('And now?');
    expect(answers(loop)[0]).toMatch(/^\{"error":"ApprovalRequired: '/);
    expect(answers(loop).at(-1)).toMatch(/^\{"error":"ApprovalDenied: A person denied '/);
    expect(await loop.gateway.approvals.get(asked?.id ?? '')).toMatchObject({
      status: 'denied',
      usedAt: expect.any(Number) as unknown,
    });
  });
});

describe.each([
  ['a handler', ECHO, 'echo of words'],
  ['a tool of a skill', COUNT, '3'],
])('an answer for the conversation, to a call of %s,', (_what, call, result) => {
  const clientOf = ({ url }: Loop, session?: string): ReturnType<typeof createLoopClient> => {
    const headers = session === undefined ? {} : { 'x-skillwright-session': session };
    return createLoopClient({ url, format: 'openai-chat', stream: false, headers });
  };

  it('holds in the session that asked and in no other', async () => {
    const loop = await start([call, SAID, call, SAID, call, SAID, call, SAID]);
    const [one, other] = [clientOf(loop, 'c1'), clientOf(loop, 'c2')];
    await one.say('Count the words, please.');
    const [asked] = await pending(loop);
    await loop.gateway.approvals.decide(asked?.id ?? '', 'allow', { scope: 'conversation', by: null });
    await other.say('Count the words, please.');
    expect(answers(loop).at(-1)).toContain('ApprovalRequired');
    expect((await pending(loop)).map(({ sessionId }) => sessionId)).toEqual(['c2']);
    for (const text of ['And now?', 'Again.']) {
      await one.say(text);
      expect(answers(loop).at(-1)).toContain(result);
      expect(answers(loop).at(-1)).not.toContain('ApprovalRequired');
    }
  });

  it('holds for one call if the client names no session', async () => {
    const loop = await start([call, SAID, call, SAID, call, SAID]);
    const client = clientOf(loop);
    await client.say('Count the words, please.');
    const [asked] = await pending(loop);
    const { approvals } = loop.gateway;
    expect(await approvals.decide(asked?.id ?? '', 'allow', { scope: 'conversation', by: null })).toMatchObject({
      scope: 'once',
    });
    await client.say('And now?');
    expect(answers(loop).at(-1)).toContain(result);
    expect(answers(loop).at(-1)).not.toContain('ApprovalRequired');
    await client.say('Again.');
    expect(answers(loop).at(-1)).toContain('ApprovalRequired');
  });
});

describe.each(WIRE_FORMATS)('a request that may wait for approval, in %s', (format) => {
  it.each([
    ['allow', 'echo of words'],
    ['deny', 'A person denied'],
  ] as const)('continues with the person’s answer: %s', async (decision, answer) => {
    const loop = await start([ECHO, SAID], { approvalWaitMs: 60_000, keepAliveMs: 100 });
    const told = createLoopClient({ url: loop.url, format, stream: true }).say('Begin.');
    const [asked] = await vi.waitUntil(async () => {
      const found = await pending(loop);
      return found.length > 0 ? found : undefined;
    }, 20_000);
    await loop.gateway.approvals.decide(asked?.id ?? '', decision, { scope: 'once', by: null });
    expect((await told).turn.text).toBe('I asked.');
    expect(answers(loop)).toHaveLength(1);
    expect(answers(loop)[0]).toContain(answer);
  });

  it('continues with the approval id when the wait is over', async () => {
    const loop = await start([ECHO, SAID], { approvalWaitMs: 50 });
    await createLoopClient({ url: loop.url, format, stream: false }).say('Begin.');
    const [asked] = await pending(loop);
    expect(answers(loop)[0]).toContain(asked?.id);
  });
});
