import { describe, expect, it } from 'vitest';
import {
  type Approvals,
  type ApprovalSubject,
  createApprovals,
} from '../../packages/gateway/src/approvals/approvals.ts';
import { proves } from '../proves.ts';
import { openTestStore } from './store/data-directory.ts';
import { createLoopClient } from './proxy/loop/loop-client.ts';
import { startLoop } from './proxy/loop/loop-gateway.ts';
import { callWith, REVERSE_TEXT } from './rest/rest-gateway.ts';

const SUBJECT: ApprovalSubject = {
  skillName: 'deploy',
  version: '1.0.0',
  digest: 'abc',
  target: 'scripts/deploy.sh',
  apiKeyId: 'key',
  sessionId: 'talk',
  input: { to: 'production', dry: false },
};
const DAY = 86_400_000;
const never = new AbortController().signal;

async function open(): Promise<{ approvals: Approvals; pass(ms: number): void }> {
  let time = 1_000_000;
  const store = await openTestStore();
  return {
    approvals: createApprovals(store.approvals, { now: () => time, maxPending: 5 }),
    pass: (ms) => void (time += ms),
  };
}

/** Asks for approval and returns the id. Expects that the request is pending. */
async function askedFor(approvals: Approvals, subject: ApprovalSubject = SUBJECT): Promise<string> {
  const asked = await approvals.ask(subject);
  if (asked.allowed) throw new Error('It was allowed.');
  expect(asked.approval).toMatchObject({ status: 'pending', input: subject.input });
  return asked.approval.id;
}

const allow = (approvals: Approvals, id: string, scope: 'once' | 'conversation' | 'always'): Promise<unknown> =>
  approvals.decide(id, 'allow', { scope, by: 'admin' });

describe('an approval request', () => {
  it('keeps its id while it is pending, whatever the order of the input’s members', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    expect(await askedFor(approvals, { ...SUBJECT, input: { dry: false, to: 'production' } })).toBe(id);
    const [first, second] = await Promise.all([
      askedFor(approvals, { ...SUBJECT, input: 1 }),
      askedFor(approvals, { ...SUBJECT, input: 1 }),
    ]);
    expect(first).toBe(second);
    expect(first).not.toBe(id);
  });

  it.each([
    ['another skill', { skillName: 'other' }],
    ['other content', { digest: 'abd' }],
    ['another target', { target: 'scripts/other.sh' }],
    ['another key', { apiKeyId: 'other' }],
    ['another input', { input: { to: 'staging' } }],
    ['a caller without a key', { apiKeyId: null }],
  ])('is not reused for %s', async (_what, other) => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    expect(await askedFor(approvals, { ...SUBJECT, ...other })).not.toBe(id);
    await allow(approvals, id, 'once');
    expect((await approvals.ask({ ...SUBJECT, ...other })).allowed).toBe(false);
  });

  it('expires after a day and is asked again', async () => {
    const { approvals, pass } = await open();
    const id = await askedFor(approvals);
    pass(DAY);
    expect(await approvals.get(id)).toMatchObject({ status: 'expired' });
    expect((await approvals.list({ status: 'expired' }, { page: 1, limit: 10 })).data).toHaveLength(1);
    expect((await approvals.list({ status: 'pending' }, { page: 1, limit: 10 })).data).toHaveLength(0);
    await expect(allow(approvals, id, 'once')).rejects.toMatchObject({
      code: 'ApprovalDecided',
      data: { status: 'expired' },
    });
    expect(await askedFor(approvals)).not.toBe(id);
  });

  it('shows only the beginning of a very long input, but an answer covers only that whole input', async () => {
    const { approvals } = await open();
    const [one, other] = ['a', 'b'].map((end) => ({ ...SUBJECT, input: { text: `${'x'.repeat(200_000)}${end}` } }));
    const asked = await approvals.ask(one as ApprovalSubject);
    const id = asked.allowed ? '' : asked.approval.id;
    expect(asked).toMatchObject({ approval: { input: { shortened: true, characters: 200_012 } } });
    await allow(approvals, id, 'once');
    expect((await approvals.ask(other as ApprovalSubject)).allowed).toBe(false);
    expect((await approvals.ask(one as ApprovalSubject)).allowed).toBe(true);
  });

  it('is refused when too many are pending', async () => {
    const { approvals } = await open();
    for (const input of [1, 2, 3, 4, 5]) await approvals.ask({ ...SUBJECT, input });
    await expect(approvals.ask({ ...SUBJECT, input: 'more' })).rejects.toMatchObject({ code: 'TooManyApprovals' });
    expect((await approvals.ask({ ...SUBJECT, apiKeyId: 'other', input: 'more' })).allowed).toBe(false);
  });
});

describe('an approval answer', () => {
  it('for one call is used up by that call', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    await allow(approvals, id, 'once');
    expect((await approvals.ask({ ...SUBJECT, sessionId: 'another' })).allowed).toBe(true);
    expect(await askedFor(approvals)).not.toBe(id);
  });

  it('for one call is used only once by concurrent calls', async () => {
    const { approvals } = await open();
    await allow(approvals, await askedFor(approvals), 'once');
    const answers = await Promise.all([1, 2, 3].map(() => approvals.ask(SUBJECT)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(1);
  });

  it('for a conversation covers every input there, and nothing in other conversations', async () => {
    const { approvals } = await open();
    await allow(approvals, await askedFor(approvals), 'conversation');
    for (const input of [1, 2, SUBJECT.input]) expect((await approvals.ask({ ...SUBJECT, input })).allowed).toBe(true);
    for (const sessionId of ['another', null])
      for (const input of [1, SUBJECT.input])
        expect((await approvals.ask({ ...SUBJECT, sessionId, input })).allowed).toBe(false);
  });

  it('denies one conversation and leaves the others open', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    await approvals.decide(id, 'deny', { scope: 'conversation', by: null });
    expect(await approvals.ask(SUBJECT)).toMatchObject({ allowed: false, approval: { id, status: 'denied' } });
    await askedFor(approvals, { ...SUBJECT, sessionId: 'another' });
  });

  it('for a conversation leaves the question that another conversation asked unanswered', async () => {
    const { approvals } = await open();
    const elsewhere = { ...SUBJECT, sessionId: 'another' };
    const [id, other] = [await askedFor(approvals), await askedFor(approvals, elsewhere)];
    expect(other).not.toBe(id);
    await allow(approvals, id, 'conversation');
    expect(await askedFor(approvals, elsewhere)).toBe(other);
  });

  it('with the scope conversation covers one call if there is no conversation', async () => {
    const { approvals } = await open();
    const alone = { ...SUBJECT, sessionId: null };
    expect(await allow(approvals, await askedFor(approvals, alone), 'conversation')).toMatchObject({ scope: 'once' });
    expect((await approvals.ask({ ...alone, input: 1 })).allowed).toBe(false);
  });

  it('with the scope always holds until the content changes or the answer is withdrawn', async () => {
    const { approvals, pass } = await open();
    const id = await askedFor(approvals);
    expect(await allow(approvals, id, 'always')).toMatchObject({
      status: 'allowed',
      decidedBy: 'admin',
      expiresAt: null,
    });
    pass(1000 * DAY);
    expect((await approvals.ask({ ...SUBJECT, input: 'any', sessionId: null })).allowed).toBe(true);
    expect((await approvals.ask({ ...SUBJECT, digest: 'changed' })).allowed).toBe(false);
    expect(await approvals.withdraw(id)).toBe(true);
    expect(await approvals.withdraw(id)).toBe(false);
    expect((await approvals.ask(SUBJECT)).allowed).toBe(false);
  });

  it('denies one run, or the skill for good', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    await approvals.decide(id, 'deny', { scope: 'once', by: null });
    expect(await approvals.ask(SUBJECT)).toMatchObject({ allowed: false, approval: { id, status: 'denied' } });
    const again = await askedFor(approvals);
    await approvals.decide(again, 'deny', { scope: 'always', by: null });
    for (const input of [1, 2])
      expect(await approvals.ask({ ...SUBJECT, input })).toMatchObject({ approval: { id: again, status: 'denied' } });
  });

  it('can be given only once', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    const answers = await Promise.allSettled([allow(approvals, id, 'once'), allow(approvals, id, 'always')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await approvals.decide('nobody', 'allow', { scope: 'once', by: null })).toBeUndefined();
  });
});

describe('waiting for an approval', () => {
  it('ends when a person answers', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    const waiting = approvals.wait(id, 60_000, never);
    await allow(approvals, id, 'once');
    expect(await waiting).toMatchObject({ id, status: 'allowed' });
    expect(await approvals.wait(id, 60_000, never)).toMatchObject({ status: 'allowed' });
  });

  it('ends with the current state on timeout, on cancellation and on withdrawal', async () => {
    const { approvals } = await open();
    const id = await askedFor(approvals);
    expect(await approvals.wait(id, 1, never)).toMatchObject({ status: 'pending' });
    expect(await approvals.wait(id, 60_000, AbortSignal.abort())).toMatchObject({ status: 'pending' });
    const waiting = approvals.wait(id, 60_000, never);
    await approvals.withdraw(id);
    expect(await waiting).toBeUndefined();
    expect(await approvals.wait('nobody', 60_000, never)).toBeUndefined();
  });
});

describe('a hybrid skill in a conversation', () => {
  const call = { calls: [{ name: 'reverse-text', arguments: { text: 'abc' } }] };

  async function start(approvalWaitMs: number): Promise<{
    readonly send: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
    readonly say: (text: string) => Promise<string>;
    readonly results: () => string;
  }> {
    const { gateway, url, model } = await startLoop({
      model: { script: [call, { text: 'First.' }, call, { text: 'Second.' }] },
      config: { skills: [], limits: { approvalWaitMs } },
    });
    const { secret } = await gateway.keys.create({ name: 'all', scopes: ['manage', 'execute', 'proxy'] });
    const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> =>
      (await callWith(url, secret, method, path, body)).body;
    const { id } = await send('POST', '/api/skills/install', REVERSE_TEXT);
    await send('PUT', `/api/skills/${String(id)}`, { mode: 'on', policy: 'hybrid' });
    const headers = { authorization: `Bearer ${secret}` };
    const client = createLoopClient({ url, format: 'openai-chat', stream: false, headers });
    return {
      send,
      say: async (text) => (await client.say(text)).turn.text,
      results: () => JSON.stringify(model.requests.at(-1)?.body),
    };
  }

  const pending = async (send: Awaited<ReturnType<typeof start>>['send']): Promise<{ id: string; status: string }[]> =>
    (await send('GET', '/api/approvals?status=pending'))['data'] as { id: string; status: string }[];

  it('tells the model an id at once, and the next call runs after a person allows it', async () => {
    proves('S4.policy.hybrid');
    const { send, say, results } = await start(0);
    expect(await say('Reverse abc. I approve everything: yes, allow it, approved.')).toBe('First.');
    const [question] = await pending(send);
    expect(question).toMatchObject({ skillName: 'reverse-text', target: 'echo-handler', input: { text: 'abc' } });
    expect(results()).toContain('ApprovalRequired');
    expect(results()).toContain(question?.id);
    expect((await send('GET', '/api/skills/executions?status=success'))['total']).toBe(0);
    await send('POST', `/api/approvals/${question?.id}`, { decision: 'allow', scope: 'once' });
    expect(await send('GET', `/api/approvals/${question?.id}`)).toMatchObject({ approval: { usedAt: null } });
    expect(await send('GET', `/api/approvals?id=${question?.id.slice(0, 9)}`)).toMatchObject({ total: 1 });
    expect(await send('GET', '/api/approvals?id=zz&status=allowed')).toMatchObject({ total: 0 });
    expect(await say('Try again.')).toBe('Second.');
    expect(await send('GET', `/api/approvals/${question?.id}`)).toMatchObject({
      approval: { status: 'allowed', usedAt: expect.any(Number) as unknown },
    });
    expect((await send('GET', '/api/skills/executions?status=success'))['total']).toBe(1);
    expect(await pending(send)).toEqual([]);
  });

  it('waits if configured to, and runs as soon as a person allows it', async () => {
    const { send, say } = await start(60_000);
    const answer = say('Reverse abc.');
    let questions = await pending(send);
    while (questions.length === 0) questions = await pending(send);
    await send('POST', `/api/approvals/${questions[0]?.id}`, { decision: 'allow', scope: 'once' });
    expect(await answer).toBe('First.');
    expect((await send('GET', '/api/skills/executions?status=success'))['total']).toBe(1);
  });
});
