import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import {
  answered,
  assistant,
  completion,
  completionCalls,
  echoCall,
  echoUse,
  message,
  said,
  startTold,
  user,
  type Told,
} from '../loop/told-upstream.ts';

const ANSWER = 'Your order has shipped.';

/** Makes the model hide a different word from each of two people and answer both alike. */
function toldTo(hide: (name: string) => WireBody, done: WireBody): readonly Told[] {
  return [hide('alice'), done, hide('bob'), done, done];
}

const CHAT = toldTo(
  (name) => completionCalls(name, [[`call_${name}`, 'echo', { text: name }]]),
  completion('c', ANSWER),
);
const MESSAGES = toldTo(
  (name) => message([echoUse(`toolu_${name}`, name)], 'tool_use'),
  message([{ type: 'text', text: ANSWER }]),
);
const RESPONSES = toldTo(
  (name) => answered(`resp_${name}`, [echoCall(name, name)]),
  answered('resp_2', [said(ANSWER)]),
);

interface People {
  readonly path: string;
  readonly told: readonly Told[];
  readonly field: 'messages' | 'input';
  /** How an app identifies a person in the request. */
  readonly by: (name: string) => WireBody;
  readonly how: string;
}

const PEOPLE: readonly People[] = [
  { path: '/v1/chat/completions', told: CHAT, field: 'messages', how: 'user', by: (name) => ({ user: name }) },
  {
    path: '/v1/chat/completions',
    told: CHAT,
    field: 'messages',
    how: 'safety_identifier',
    by: (name) => ({ safety_identifier: name }),
  },
  { path: '/v1/responses', told: RESPONSES, field: 'input', how: 'user', by: (name) => ({ user: name, store: false }) },
  {
    path: '/v1/messages',
    told: MESSAGES,
    field: 'messages',
    how: 'metadata.user_id',
    by: (name) => ({ metadata: { user_id: name } }),
  },
  {
    path: '/v1/messages',
    told: MESSAGES,
    field: 'messages',
    how: 'its system text',
    by: (name) => ({ system: [{ type: 'text', text: `You help ${name}.` }] }),
  },
  {
    path: '/v1/responses',
    told: RESPONSES,
    field: 'input',
    how: 'its instructions',
    by: (name) => ({ instructions: `You help ${name}.` }),
  },
];

const BEGINNING = [user('Where is my order?')];
const GOING_ON = [...BEGINNING, assistant(ANSWER), user('And my balance?')];

describe.each(PEOPLE)('people behind one key at $path, told apart by $how', ({ path, told, field, by }) => {
  it('keep separate histories', async () => {
    const { ask, bodies } = await startTold(told);
    const send = (name: string, history: readonly unknown[]): Promise<WireBody> =>
      ask(path, { model: 'some-model', max_tokens: 9, ...by(name), [field]: history });
    await send('alice', BEGINNING);
    await send('bob', BEGINNING);
    for (const [own, other] of [
      ['bob', 'alice'],
      ['alice', 'bob'],
    ] as const) {
      await send(own, GOING_ON);
      const sent = JSON.stringify(bodies().at(-1)?.[field]);
      expect(sent).toContain(`echo of ${own}`);
      expect(sent).not.toContain(`echo of ${other}`);
    }
  });
});

describe('people behind one key whom nothing tells apart', () => {
  const ask = (name: string, history: readonly unknown[]): WireBody => ({
    model: 'some-model',
    // Like clients that state the time: the system text differs in each request.
    messages: [{ role: 'system', content: `You help. It is ${name}.` }, ...history],
  });

  it('lose their hidden rounds rather than see another’s', async () => {
    const loop = await startTold(CHAT);
    await loop.ask('/v1/chat/completions', ask('10:01', BEGINNING));
    await loop.ask('/v1/chat/completions', ask('10:02', BEGINNING));
    await loop.ask('/v1/chat/completions', ask('10:03', GOING_ON));
    expect(loop.bodies().at(-1)?.['messages']).toMatchObject([{ role: 'system' }, ...GOING_ON]);
  });

  it('keep identical hidden rounds, even if the ids of the calls differ', async () => {
    const hidden = (id: string): WireBody => completionCalls(id, [[`call_${id}`, 'echo', { text: 'same' }]]);
    const done = completion('c', ANSWER);
    const loop = await startTold([hidden('1'), done, hidden('2'), done, done]);
    for (const time of ['10:01', '10:02']) await loop.ask('/v1/chat/completions', ask(time, BEGINNING));
    await loop.ask('/v1/chat/completions', ask('10:03', GOING_ON));
    expect(JSON.stringify(loop.bodies().at(-1))).toContain('echo of same');
  });

  it('are told apart by sessions, even if long session names differ only at the end', async () => {
    const loop = await startTold(CHAT);
    const send = (name: string, history: readonly unknown[]): Promise<WireBody> =>
      loop.ask('/v1/chat/completions', ask('10:00', history), { 'x-skillwright-session': `${'s'.repeat(200)}${name}` });
    await send('alice', BEGINNING);
    await send('bob', BEGINNING);
    await send('bob', GOING_ON);
    expect(JSON.stringify(loop.bodies().at(-1))).toContain('echo of bob');
    // An unknown session gets no hidden rounds.
    await send('carol', GOING_ON);
    expect(JSON.stringify(loop.bodies().at(-1))).not.toContain('echo of');
  });
});
