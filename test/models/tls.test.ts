import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import { watch, type TestServer } from '../security/network/server.ts';
import { makeIdentity } from '../security/network/tls-identity.ts';
import { ask, chunksOf, clientOf, failureOf, textOf } from './asking.ts';

const identity = makeIdentity();
const ca = [identity?.cert ?? ''];

async function startSecureServer(): Promise<TestServer> {
  return watch(
    createServer({ ...identity }, (_request, response) => response.end('{}')),
    '127.0.0.1',
    0,
  );
}

describe.skipIf(identity === undefined)('a model server with its own certificate (needs openssl)', () => {
  it.each(['127.0.0.1', 'named.example'])('is reached as %s if its authority is trusted', async (host) => {
    const server = await startSecureServer();
    const client = clientOf({ baseUrl: `https://${host}:${server.port}/v1`, ca, resolve: async () => ['127.0.0.1'] });
    expect(await textOf(await chunksOf(ask(client, { stream: true })))).toBe('{}');
    await textOf(await chunksOf(ask(client)));
    expect(server.connections()).toBe(1);
  });

  it.each([
    ['its authority is not trusted', '127.0.0.1', {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['it belongs to another host', 'other.example', { ca }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('does not get the key if %s', async (_why, host, trusted, reason) => {
    const server = await startSecureServer();
    const baseUrl = `https://${host}:${server.port}`;
    const failure = await failureOf(ask(clientOf({ baseUrl, resolve: async () => ['127.0.0.1'], ...trusted })));
    expect(failure).toMatchObject({ kind: 'connection', isPassing: false });
    expect(failure.message).toContain(reason);
    expect(failure.message).toContain("'ca'");
    await server.allClosed();
  });
});
