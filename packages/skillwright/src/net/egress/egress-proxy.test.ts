import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, request, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgressProxy, type EgressDenial } from './egress-proxy.ts';
import { parseEgressRules } from './egress-rules.ts';

interface Bench {
  readonly denials: EgressDenial[];
  /** Sends a line to the proxy, and returns its response and what follows. */
  say(text: string): Promise<string>;
  get(url: string, headers?: Record<string, string>): Promise<{ status: number; body: string; head: IncomingMessage }>;
}

const ANSWERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'inside.example': [['127.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'mixed.example': [['93.184.216.34', '10.0.0.1']],
  'nothing.example': [[]],
};

async function openProxy(allow: readonly string[], open: readonly string[] = []): Promise<Bench> {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-egress-test-'));
  const path = join(directory, 'proxy');
  const denials: EgressDenial[] = [];
  let asked = 0;
  const proxy = createEgressProxy({
    rules: parseEgressRules(allow),
    private: open,
    connectTimeoutMs: 2_000,
    onDenied: (denial) => denials.push(denial),
    resolve: async (host) => {
      asked += 1;
      // The first lookup of this name returns this machine, and each later lookup returns a public address.
      if (host === 'rebinding.example') return asked === 1 ? ['127.0.0.1'] : ['93.184.216.34'];
      if (host === 'local.example') return ['127.0.0.1'];
      return ANSWERS[host]?.[0] ?? [];
    },
  });
  await proxy.listen(path);
  onTestFinished(() => {
    proxy.close();
    proxy.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    denials,
    async say(text) {
      const socket = connect(path);
      let heard = '';
      socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
      socket.end(text);
      await once(socket, 'close');
      return heard;
    },
    async get(url, headers = {}) {
      const sent = request({ socketPath: path, path: url, headers: { ...headers, host: 'ignored.example' } });
      sent.end();
      const [head] = (await once(sent, 'response')) as [IncomingMessage];
      let body = '';
      for await (const chunk of head) body += String(chunk);
      return { status: head.statusCode ?? 0, body, head };
    },
  };
}

async function serve(): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createHttpServer((message, response) => {
    seen.push(message);
    if (message.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' });
    else response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], connection: 'close, x-hop', 'x-hop': '1' });
    response.end(`served ${message.url ?? ''}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

const statusOf = (answer: string): string => answer.split('\r\n', 1)[0] ?? '';

describe('the egress proxy', () => {
  it('tunnels to a listed host, and carries bytes both ways', async () => {
    const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    onTestFinished(() => void echo.close());
    const { port } = echo.address() as AddressInfo;
    const proxy = await openProxy([`local.example:${port}`], [`local.example:${port}`]);
    const answer = await proxy.say(`CONNECT local.example:${port} HTTP/1.1\r\nHost: x\r\n\r\nhello through`);
    expect(statusOf(answer)).toBe('HTTP/1.1 200 Connection established');
    expect(answer).toMatch(/hello through$/);
    expect(proxy.denials).toEqual([]);
  });

  it("forwards plain requests with the URL's host and without hop-by-hop headers", async () => {
    const { port, seen } = await serve();
    const proxy = await openProxy([`local.example:${port}`], [`local.example:${port}`]);
    const answer = await proxy.get(`http://local.example:${port}/a?b=c`, {
      'proxy-authorization': 'secret',
      connection: 'keep-alive, x-own',
      'x-own': '1',
      'x-kept': '1',
    });
    expect([answer.status, answer.body]).toEqual([200, 'served /a?b=c']);
    expect(seen[0]?.headers).toMatchObject({ host: `local.example:${port}`, 'x-kept': '1' });
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(seen[0]?.headers).not.toHaveProperty('x-own');
    expect(answer.head.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.head.headers).not.toHaveProperty('x-hop');
  });

  it('does not follow redirects: the program must request the target, which is checked against the list', async () => {
    const { port } = await serve();
    const proxy = await openProxy([`local.example:${port}`], [`local.example:${port}`]);
    const answer = await proxy.get(`http://local.example:${port}/away`);
    expect([answer.status, answer.head.headers.location]).toEqual([302, 'http://169.254.169.254/']);
    expect((await proxy.get('http://169.254.169.254/')).status).toBe(403);
  });

  it('refuses and reports a host that is not on the list', async () => {
    const proxy = await openProxy(['api.example.com']);
    expect(await proxy.say('CONNECT evil.example:443 HTTP/1.1\r\nHost: api.example.com\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*Access to evil\.example:443 was refused: it is not on the list/,
    );
    expect((await proxy.get('http://evil.example/')).body).toMatch(/not on the list/);
    expect(proxy.denials.map(({ target }) => target)).toEqual(['evil.example:443', 'evil.example:80']);
  });

  it.each(['api.example.com:22', 'api.example.com:25', 'api.example.com:8080'])(
    'opens no tunnel to %s, whose port is not a web port',
    async (target) => {
      const proxy = await openProxy(['api.example.com']);
      expect(statusOf(await proxy.say(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe('HTTP/1.1 403 Forbidden');
    },
  );

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
    'localhost',
    'localhost.',
    'a.localhost',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
  ])('never reaches an address of this machine or its network by %s, listed or not', async (host) => {
    for (const allow of [
      [],
      ['127.0.0.1', 'localhost', 'a.localhost', '[::1]', '10.0.0.1', '0.0.0.0', '169.254.169.254'],
    ]) {
      const proxy = await openProxy(allow);
      expect(statusOf(await proxy.say(`CONNECT ${host}:80 HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe(
        'HTTP/1.1 403 Forbidden',
      );
      expect((await proxy.get(`http://${host}/`)).status).toBe(403);
      expect(proxy.denials).toHaveLength(2);
    }
  });

  it.each(['inside.example', 'metadata.example', 'mapped.example', 'mixed.example', 'rebinding.example'])(
    'checks the address of %s again whenever it changes',
    async (host) => {
      const proxy = await openProxy(['*.example']);
      expect(await proxy.say(`CONNECT ${host}:443 HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
        /403[\s\S]*its address .* is not public/,
      );
    },
  );

  it('resolves a name once for each connection, and connects to the checked address', async () => {
    const { port } = await serve();
    // Each further lookup would return another address, so the proxy must look the name up only once.
    const proxy = await openProxy([`rebinding.example:${port}`], [`rebinding.example:${port}`]);
    expect((await proxy.get(`http://rebinding.example:${port}/`)).status).toBe(200);
  });

  it.each([
    ['user@api.example.com:443', /user name or password/],
    ['user:pass@api.example.com:443', /user name or password/],
    ['api.example.com', /CONNECT needs a host and a port/],
    ['api.example.com:443/path', /CONNECT needs a host and a port/],
    ['http://api.example.com:443', /CONNECT needs a host and a port/],
    ['api.example.com:99999', /The URL is invalid/],
    ['evil.example#api.example.com:443', /not a valid HTTP request/],
  ])('rejects %s as the target of a tunnel', async (target, told) => {
    const proxy = await openProxy(['api.example.com']);
    const answer = await proxy.say(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(statusOf(answer)).toBe('HTTP/1.1 400 Bad Request');
    expect(answer).toMatch(told);
  });

  it.each(['/etc/passwd', 'ftp://api.example.com/', 'https://api.example.com/', 'http://u:p@api.example.com/', '*'])(
    'refuses a request for %s',
    async (url) => {
      const proxy = await openProxy(['api.example.com']);
      expect((await proxy.get(url)).status).toBe(400);
    },
  );

  it('survives malformed requests and hosts that do not exist', async () => {
    const proxy = await openProxy(['nothing.example', '127.0.0.1:9'], ['127.0.0.1:9']);
    expect(statusOf(await proxy.say('\u0016\u0003\u0001 garbage\r\n\r\n'))).toBe('HTTP/1.1 400 Bad Request');
    expect(statusOf(await proxy.say('CONNECT nothing.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'))).toMatch(/502/);
    expect((await proxy.get('http://127.0.0.1:9/')).status).toBe(502);
    expect(proxy.denials).toEqual([]);
  });
});
