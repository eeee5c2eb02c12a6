import { expect, it } from 'vitest';
import { startNamed, WAYS } from './named-answers.ts';

it.each(WAYS)(
  'lets clients use their own responses even if the database cannot be written, %s',
  async (_way, headers) => {
    const { asker, gateway } = await startNamed();
    const owner = await asker();
    const { body } = await owner.ask({ model: 'm', input: 'Begin.' }, '/v1/responses', headers);
    Object.assign(gateway.store.ledger, { renew: () => Promise.reject(new Error('full')) });
    const follow = { model: 'm', input: 'Go on.', previous_response_id: body.id };
    expect((await owner.ask(follow, '/v1/responses', headers)).status).toBe(200);
  },
);

it.each(WAYS)('lets no client refer to anything if the database cannot be read, %s', async (_way, headers) => {
  const { asker, gateway, seen } = await startNamed();
  const owner = await asker();
  const { body } = await owner.ask({ model: 'm', input: 'Begin.' }, '/v1/responses', headers);
  const before = seen.length;
  Object.assign(gateway.store.ledger, { find: () => Promise.reject(new Error('unreadable')) });
  for (const path of ['/v1/responses', '/v1/responses/input_tokens', '/v1/responses/compact'])
    for (const named of [{ previous_response_id: body.id }, { input: [{ type: 'item_reference', id: 'msg_1' }] }]) {
      const { status } = await owner.ask({ model: 'm', input: 'Go on.', ...named }, path, headers);
      expect([path, status]).toEqual([path, 500]);
    }
  expect(seen).toHaveLength(before);
  expect((await owner.ask({ model: 'm', input: 'Begin.' }, '/v1/responses', headers)).status).toBe(200);
});
