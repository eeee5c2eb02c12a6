import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpClient, type HttpClientOptions } from '../../../packages/skillwright/src/net/http/http-client.ts';
import { watch, type TestServer } from './server.ts';
import { makeIdentity } from './tls-identity.ts';

const identity = makeIdentity();

async function startSecureServer(): Promise<TestServer> {
  const server = createServer({ ...identity }, (request, response) => {
    const { servername } = request.socket as TLSSocket;
    response.end(JSON.stringify({ host: request.headers.host, servername }));
  });
  return watch(server, '127.0.0.1', 0);
}

async function ask(url: string, options: HttpClientOptions): Promise<unknown> {
  const client = createHttpClient({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'], ...options });
  onTestFinished(() => client.close());
  return (await client.request(url)).json();
}

describe.skipIf(identity === undefined)('https (needs the program openssl)', () => {
  it('uses the name of the host and the address that was checked', async () => {
    const { port } = await startSecureServer();
    const ca = [identity?.cert ?? ''];
    expect(await ask(`https://named.example:${port}/`, { ca })).toEqual({
      host: `named.example:${port}`,
      servername: 'named.example',
    });
    expect(await ask(`https://127.0.0.1:${port}/`, { ca })).toEqual({ host: `127.0.0.1:${port}`, servername: false });
  });

  it.each(['1', '0'])(
    'refuses a certificate that signs itself, even with NODE_TLS_REJECT_UNAUTHORIZED=%s',
    async (set) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', set);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { port } = await startSecureServer();
      await expect(ask(`https://named.example:${port}/`, {})).rejects.toMatchObject({
        code: 'RequestFailed',
        data: { host: 'named.example', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      });
    },
  );

  it('rejects a certificate of another host', async () => {
    const { port } = await startSecureServer();
    await expect(ask(`https://other.example:${port}/`, { ca: [identity?.cert ?? ''] })).rejects.toMatchObject({
      code: 'RequestFailed',
      data: { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
  });

  it('does not talk to a server with plain HTTP', async () => {
    const { createServer: createPlainServer } = await import('node:http');
    const plain = await watch(
      createPlainServer((_request, response) => response.end()),
      '127.0.0.1',
      0,
    );
    await expect(ask(`https://named.example:${plain.port}/`, {})).rejects.toMatchObject({ code: 'RequestFailed' });
    await plain.allClosed();
  });
});
