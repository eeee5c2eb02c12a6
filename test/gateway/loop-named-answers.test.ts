import { describe, expect, it } from 'vitest';
import { startNamed, WAYS, type Told } from './named-answers.ts';
import { startGatewayTo } from './loop-gateway.ts';

const REQUEST = { model: 'm', input: 'Begin.' };
const NEXT = '/v1/responses';
const PATHS = [NEXT, '/v1/responses/input_tokens', '/v1/responses/compact'];

function expectNotFound({ status, body }: Told, id: string): void {
  expect([status, body.error?.code]).toEqual([404, 'previous_response_not_found']);
  expect(body.error?.message).toContain(id);
}

describe.each(WAYS)('previous_response_id of a request %s', (_way, headers) => {
  it.each(PATHS)('leads to nothing of another key at %s, and nothing goes upstream', async (path) => {
    const { asker, anonymous, seen } = await startNamed();
    const [owner, other] = [await asker(), await asker()];
    const { body: told } = await owner.ask(REQUEST, NEXT, headers);
    const { body: unkeyed } = await anonymous.ask(REQUEST, NEXT, headers);
    const before = seen.length;
    const follow = { ...REQUEST, previous_response_id: told.id };
    expectNotFound(await other.ask(follow, path, headers), String(told.id));
    expectNotFound(await anonymous.ask(follow, path, headers), String(told.id));
    const unkeyedFollow = { ...REQUEST, previous_response_id: unkeyed.id };
    expectNotFound(await owner.ask(unkeyedFollow, path, headers), String(unkeyed.id));
    expectNotFound(await owner.ask({ ...REQUEST, previous_response_id: 'resp_unknown' }, path, headers), 'unknown');
    expect(seen).toHaveLength(before);
  });

  it.each(PATHS)('goes on from an own answer at %s at once', async (path) => {
    const { asker, anonymous } = await startNamed();
    for (const one of [await asker(), anonymous]) {
      const { body } = await one.ask(REQUEST, NEXT, headers);
      expect((await one.ask({ ...REQUEST, previous_response_id: body.id }, path, headers)).status).toBe(200);
    }
  });

  it.each(PATHS)('leads anywhere with the scope manage at %s', async (path) => {
    const { asker, last } = await startNamed();
    const manager = await asker(['proxy', 'manage']);
    const body = { ...REQUEST, previous_response_id: 'resp_of_others' };
    expect((await manager.ask(body, path, headers)).status).toBe(200);
    expect(last()).toContain('resp_of_others');
  });
});

it('an own answer that comes packed is gone on from at once', async () => {
  const { asker } = await startNamed({ isPacked: true });
  const owner = await asker();
  const off = { 'x-skillwright-mode': 'off' };
  let previous: unknown;
  for (let turn = 0; turn < 10; turn += 1) {
    const { status, body } = await owner.ask({ ...REQUEST, previous_response_id: previous }, NEXT, off);
    expect(status).toBe(200);
    previous = body.id;
  }
});

it.each([false, true])('the demo model goes on from own answers alone, streamed: %s', async (stream) => {
  const { url, gateway } = await startGatewayTo({ baseUrl: () => 'http://127.0.0.1:1' }, { upstreams: [] });
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const ask = async (
    previous?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; id: string }> => {
    const response = await fetch(`${url}${NEXT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'demo', input: 'Hello.', stream, previous_response_id: previous }),
    });
    return { status: response.status, id: /"id": ?"(resp_\w+)"/.exec(await response.text())?.[1] ?? '' };
  };
  const { id } = await ask();
  expect(id).toMatch(/^resp_/);
  expect((await ask(id)).status).toBe(200);
  expect((await ask(id, { authorization: `Bearer ${secret}` })).status).toBe(404);
});
