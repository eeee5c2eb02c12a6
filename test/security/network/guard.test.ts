import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from '../../../packages/skillwright/src/net/http/http-client.ts';
import { startServer } from './server.ts';

function client(given: HttpClientOptions & { readonly asked?: unknown } = {}): HttpClient {
  const { asked: _asked, ...options } = given;
  const created = createHttpClient({ connectTimeoutMs: 5_000, timeoutMs: 10_000, ...options });
  onTestFinished(() => created.close());
  return created;
}

/** Resolves names to the given lists one after the other, and then always to the last list. */
function resolver(...answers: readonly (readonly string[])[]): {
  resolve: (host: string) => Promise<readonly string[]>;
  asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (host) => {
      asked.push(host);
      return answers[Math.min(asked.length, answers.length) - 1] ?? [];
    },
  };
}

/** Other loopback addresses stand for the outside; not every system has them. */
const hasSecondLoopback = await (async () => {
  const probe = createServer().listen(0, '127.0.0.2');
  const works = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  probe.close();
  return works;
})();

describe('a client without exceptions', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:PORT/'],
    ['an address as one number', 'http://2130706433:PORT/'],
    ['hexadecimal', 'http://0x7f.1:PORT/'],
    ['octal', 'http://0177.1:PORT/'],
    ['zero', 'http://0:PORT/'],
    ['a shortened address', 'http://127.1:PORT/'],
    ['another loopback address', 'http://127.255.255.254:PORT/'],
    ['[::1]', 'http://[::1]:PORT/'],
    ['[::]', 'http://[::]:PORT/'],
    ['an IPv4-mapped address', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['an IPv4-mapped address in hexadecimal', 'http://[::ffff:7f00:1]:PORT/'],
    ['an IPv4-compatible address', 'http://[::127.0.0.1]:PORT/'],
    ['NAT64', 'http://[64:ff9b::127.0.0.1]:PORT/'],
    ['NAT64 for local use', 'http://[64:ff9b:1::7f00:1]:PORT/'],
    ['6to4', 'http://[2002:7f00:1::]:PORT/'],
    ['Teredo', 'http://[2001:0:7f00:1::]:PORT/'],
    ['a trailing dot on an address', 'http://127.0.0.1.:PORT/'],
    ['a trailing dot on a name', 'http://localhost.:PORT/'],
    ['localhost', 'http://localhost:PORT/'],
    ['upper case', 'http://LOCALHOST:PORT/'],
    ['a name under localhost', 'http://a.b.localhost:PORT/'],
    ['percent signs', 'http://%6c%6f%63alhost:PORT/'],
    ['percent signs for digits', 'http://%31%32%37.0.0.1:PORT/'],
    ['full-width digits', 'http://１２７.０.０.１:PORT/'],
    ['circled digits', 'http://①②⑦.⓪.⓪.①:PORT/'],
    ['ideographic dots', 'http://127。0。0。1:PORT/'],
    ['a name that resolves to 127.0.0.1', 'http://inside.example:PORT/'],
    ['a name of a local network', 'http://printer.local:PORT/'],
    ['a cloud’s name for its metadata', 'http://metadata.google.internal:PORT/'],
    ['an international name', 'http://büro.example:PORT/'],
    ['https', 'https://127.0.0.1:PORT/'],
    ['a carrier’s shared address space', 'http://100.64.0.1:PORT/'],
    ['the range for benchmarks', 'http://198.18.0.1:PORT/'],
    ['the metadata address of most clouds', 'http://169.254.169.254:PORT/latest/meta-data/'],
    ['the metadata address of Azure', 'http://168.63.129.16:PORT/'],
    ['the IPv6 metadata address of AWS', 'http://[fd00:ec2::254]:PORT/'],
    ['a private address in 10.0.0.0/8', 'http://10.0.0.1:PORT/'],
    ['a private address in 172.16.0.0/12', 'http://172.16.0.1:PORT/'],
    ['a private address in 192.168.0.0/16', 'http://192.168.0.1:PORT/'],
    ['a private IPv6 address', 'http://[fd12::1]:PORT/'],
    ['a link-local address', 'http://[fe80::1]:PORT/'],
    ['the broadcast address', 'http://255.255.255.255:PORT/'],
  ])('refuses %s', async (_what, url) => {
    const server = await startServer((_request, response) => response.end('inside'));
    const { resolve } = resolver(['127.0.0.1']);
    await expect(client({ resolve }).request(url.replace('PORT', String(server.port)))).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'AddressNotAllowed',
      message: expect.stringMatching(/^Host '\S+' (?:is|resolves to) [\da-f.:]+, which is .*'allow' list\.$/) as string,
    });
    expect(server.connections()).toBe(0);
  });

  it.each(['file:///etc/passwd', 'http://bob:secret@a.example/', 'http://a..example/', 'http://[fe80::1%25lo]/'])(
    'refuses %s',
    async (url) => {
      await expect(client().request(url)).rejects.toMatchObject({ code: 'UrlNotAllowed' });
    },
  );

  it('names the refused host and never the rest of the request', async () => {
    const { resolve } = resolver(['10.1.2.3']);
    const error: unknown = await client({ resolve })
      .request('http://x.example:81/path-secret?key=query-secret', { headers: { authorization: 'header-secret' } })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message:
        "Host 'x.example' resolves to 10.1.2.3, which is an address of a private network. Only public addresses are allowed. " +
        "To allow this one, add 'x.example:81' to the client's 'allow' list.",
      data: { host: 'x.example', port: 81, address: '10.1.2.3', kind: 'private' },
    });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('suggests the address if a name cannot be allowed', async () => {
    const { resolve } = resolver(['::ffff:169.254.169.254']);
    await expect(client({ resolve }).request('http://x.example/')).rejects.toThrow("add '169.254.169.254:80' to");
  });

  it.each([
    ['a public address first', ['93.184.216.34', '127.0.0.1']],
    ['an inside address first', ['127.0.0.1', '93.184.216.34']],
    ['one family inside', ['93.184.216.34', '::1']],
    ['many', [...Array.from({ length: 50 }, () => '93.184.216.34'), '10.0.0.1']],
  ])('rejects a name with one bad address: %s', async (_what, addresses) => {
    const { resolve } = resolver(addresses);
    await expect(client({ resolve }).request('http://x.example/')).rejects.toMatchObject({ code: 'AddressNotAllowed' });
  });

  it.each(['0177.0.0.1', '127.1', 'fe80::1%lo', 'localhost', '', '2130706433'])(
    'refuses a resolver that answers %j, which cannot be checked',
    async (answer) => {
      const { resolve } = resolver([answer]);
      await expect(client({ resolve }).request('http://x.example/')).rejects.toMatchObject({
        code: 'AddressNotAllowed',
      });
    },
  );

  it('reports a name without an address, or a failing resolver', async () => {
    await expect(client({ resolve: resolver([]).resolve }).request('http://x.example/')).rejects.toMatchObject({
      code: 'RequestFailed',
    });
    const resolve = async (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expect(client({ resolve }).request('http://x.example/')).rejects.toMatchObject({
      code: 'RequestFailed',
      message: "The request to host 'x.example' failed: no (ENOTFOUND).",
      data: { host: 'x.example', reason: 'ENOTFOUND' },
    });
  });

  it('never sends localhost to a resolver', async () => {
    const { resolve, asked } = resolver(['93.184.216.34']);
    await expect(client({ resolve }).request('http://a.localhost/')).rejects.toMatchObject({
      code: 'AddressNotAllowed',
    });
    expect(asked).toEqual([]);
  });
});

describe('a client with exceptions', () => {
  it.each([
    ['http://127.0.0.1:PORT/', '127.0.0.1:PORT'],
    ['http://0x7f.1:PORT/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]:PORT/', '127.0.0.0/8'],
    ['http://named.example:PORT/', '127.0.0.1:PORT'],
    ['http://Named.Example.:PORT/', 'named.example:PORT'],
    ['http://localhost:PORT/', 'localhost:PORT'],
  ])('reaches %s by the entry %s', async (url, entry) => {
    const server = await startServer((request, response) => response.end(request.headers.host));
    const at = (text: string): string => text.replace('PORT', String(server.port));
    const response = await client({ allow: [at(entry)], ...resolver(['127.0.0.1']) }).request(at(url));
    expect(response.status).toBe(200);
    const { hostname } = new URL(url.replace('PORT', '1'));
    expect(await response.text()).toBe(`${hostname.replace(/\.$/, '')}:${server.port}`);
  });

  it('reaches nothing else through them', async () => {
    const server = await startServer((_request, response) => response.end());
    const allow = [`127.0.0.1:${server.port + 1}`, '10.0.0.0/8', 'other.example'];
    const requests = client({ allow, ...resolver(['127.0.0.1']) });
    for (const url of [`http://127.0.0.1:${server.port}/`, `http://named.example:${server.port}/`])
      await expect(requests.request(url)).rejects.toMatchObject({ code: 'AddressNotAllowed' });
    expect(server.connections()).toBe(0);
  });

  it('checks every host name, and shares no connection between two of them', async () => {
    const server = await startServer((request, response) => response.end(request.headers.host));
    const { resolve, asked } = resolver(['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1']);
    const requests = client({ allow: [`127.0.0.1:${server.port}`], resolve });
    for (const name of ['a.example', 'b.example', 'a.example'])
      await (await requests.request(`http://${name}:${server.port}/`)).text();
    await expect(requests.request(`http://c.example:${server.port}/`)).rejects.toMatchObject({
      code: 'AddressNotAllowed',
    });
    expect(server.connections()).toBe(2);
    expect(asked).toEqual(['a.example', 'b.example', 'c.example']);
  });
});

describe.skipIf(!hasSecondLoopback)(
  'an outside server that leads to an inside address (needs 127.0.0.2 for the outside)',
  () => {
    it('is reached only at the address that was checked, whatever its name resolves to next', async () => {
      const outside = await startServer((_request, response) => response.end('outside'), '127.0.0.2');
      const inside = await startServer((_request, response) => response.end('inside'), '127.0.0.1', outside.port);
      const { resolve, asked } = resolver(['127.0.0.2'], ['127.0.0.1']);
      const requests = client({ allow: ['127.0.0.2'], resolve });
      const url = `http://rebind.example:${outside.port}/`;
      const first = await requests.request(url, { headers: { accept: 'text/plain' } });
      expect(await first.text()).toBe('outside');
      expect(asked).toEqual(['rebind.example']);
      // The kept connection still goes to the checked address; a new one is refused.
      const [kept, fresh] = await Promise.allSettled([requests.request(url), requests.request(url)]);
      expect(kept.status === 'fulfilled' && (await kept.value.text())).toBe('outside');
      expect(fresh).toMatchObject({ status: 'rejected', reason: { code: 'AddressNotAllowed' } });
      expect(inside.connections()).toBe(0);
    });

    it.each([301, 302, 303, 307, 308])('cannot redirect a request inside with %i', async (status) => {
      const inside = await startServer((_request, response) => response.end('inside'));
      const outside = await startServer(
        (_request, response) => response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end(),
        '127.0.0.2',
      );
      const requests = client({ allow: ['127.0.0.2'] });
      await expect(requests.request(`http://${outside.authority}/`, { redirect: 'follow' })).rejects.toMatchObject({
        code: 'AddressNotAllowed',
        data: { address: '127.0.0.1' },
      });
      await expect(requests.request(`http://${outside.authority}/`)).rejects.toMatchObject({ code: 'RedirectRefused' });
      expect(inside.connections()).toBe(0);
    });

    it('cannot redirect a request to its own name once that resolves to an inside address', async () => {
      const outside = await startServer(
        (_request, response) => response.writeHead(302, { location: '/again', connection: 'close' }).end(),
        '127.0.0.2',
      );
      const { resolve } = resolver(['127.0.0.2'], ['127.0.0.1']);
      await expect(
        client({ allow: ['127.0.0.2'], resolve }).request(`http://rebind.example:${outside.port}/`, {
          redirect: 'follow',
        }),
      ).rejects.toMatchObject({ code: 'AddressNotAllowed' });
    });
  },
);
