import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { withEgress } from '../../../packages/skillwright/src/run/egress-sandbox.ts';
import { silentLogger } from '../../../packages/skillwright/src/spec/events/logger.ts';
import type { Sandbox } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createHandlerBench, valueOf } from '../handlers/handler-setup.ts';
import { createBench } from '../sandbox/sandbox-setup.ts';

/** An address of this machine that programs do not use by default. */
const HOST = '127.0.0.2';

const FETCH = `fetch(process.argv[1]).then(async (r) => console.log(r.status, await r.text()), (e) => console.log('failed', e.cause?.code ?? e.message))`;
/** The same for a Node whose `fetch` ignores the proxy: the code requests a tunnel from the proxy itself. */
const TUNNELLING_FETCH = `
const { request } = process.getBuiltinModule('node:http');
const fetch = (url) => new Promise((resolve, reject) => {
  const proxy = new URL(process.env.HTTP_PROXY);
  request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: new URL(url).host }).on('error', reject)
    .on('connect', ({ statusCode }, socket) => {
      if (statusCode !== 200) return reject(new Error('refused with ' + statusCode), socket.destroy());
      request(url, { createConnection: () => socket }, async (answer) => {
        const body = (await answer.toArray()).join('');
        resolve({ status: answer.statusCode, text: async () => body });
      }).on('error', reject).end();
    }).end();
});
`;
const PYTHON_FETCH = `
import sys, urllib.request, urllib.error
try: print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())
except urllib.error.HTTPError as e: print(e.code, e.read().decode())
except OSError as e: print("failed", e)`;

/** The effect of a list of hosts in a tier that hides the network. */
export function describeEgress(name: string, plain: Sandbox): void {
  describe(`a list of hosts in the ${name} tier`, () => {
    let server: Server;
    let allowed: string;
    let other: string;
    let sandbox: Sandbox;
    /** Gives programs a `fetch` that uses the proxy, if the tier's Node has none. */
    let prelude: string;
    const logged: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void logged.push(message) };

    beforeAll(async () => {
      server = createServer((_request, response) => response.end('served'));
      server.listen(0, '0.0.0.0');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      allowed = `http://${HOST}:${port}/`;
      other = `http://127.0.0.3:${port}/`;
      sandbox = withEgress(plain, { allow: [`${HOST}:${port}`], private: ['127.0.0.0/8'] }, logger);
      prelude = (await isFetchProxied()) ? '' : TUNNELLING_FETCH;
    });
    afterAll(() => void server.close());

    const needsTier = async ({ skip }: TestContext): Promise<void> => {
      const probe = await plain.probe();
      if (!probe.available) skip(`the ${name} tier is not available here: ${probe.reason}`);
    };
    const on = async (body: (bench: ReturnType<typeof createBench>) => Promise<void>): Promise<void> => {
      const bench = createBench(name, sandbox);
      try {
        await bench.prepare();
        await body(bench);
      } finally {
        bench.finish();
      }
    };

    /** Whether `fetch` reads the variables: from Node 22.21 on. */
    const isFetchProxied = async (): Promise<boolean> => {
      if (!(await plain.probe()).available) return false;
      let version = '';
      await on(async ({ node }) => {
        version = (await node('console.log(process.versions.node)')).stdout.text;
      });
      const [major = 0, minor = 0] = version.split('.').map(Number);
      return major >= 24 || (major === 22 && minor >= 21);
    };

    it('lets programs reach the listed hosts, and gives an error for others', async (context) => {
      await needsTier(context);
      await on(async ({ node }) => {
        const reached = await node(prelude + FETCH, { launch: { args: [allowed], network: true } });
        expect(reached.stdout.text).toBe('200 served\n');
        const refused = await node(prelude + FETCH, { launch: { args: [other], network: true } });
        expect(refused.stdout.text).toMatch(/^failed /);
        expect(refused.stderr.text).toMatch(
          /^\[egress\] Access to 127\.0\.0\.3:\d+ was refused: it is not on the list/,
        );
        expect(logged.at(-1)).toMatch(/network access to 127\.0\.0\.3/);
      });
    });

    it('reaches nothing by fetch in a Node before 22.21, which ignores the proxy', async (context) => {
      await needsTier(context);
      if (prelude === '') context.skip('fetch uses the proxy in the Node of this tier');
      await on(async ({ node }) => {
        const outcome = await node(FETCH, { launch: { args: [allowed], network: true } });
        expect([outcome.stdout.text, outcome.stderr.text]).toEqual([expect.stringMatching(/^failed E\w+\n$/), '']);
      });
    });

    it('cannot be bypassed', async (context) => {
      await needsTier(context);
      await on(async ({ node }) => {
        const { hostname, port } = new URL(allowed);
        const direct = `require('net').connect(${port}, '${hostname}').on('connect', () => { console.log('connected'); process.exit() }).on('error', (e) => { console.log(e.code); process.exit() })`;
        expect((await node(direct, { launch: { network: true } })).stdout.text).toMatch(/^E\w+\n$/);
        const devices = `console.log(Object.keys(require('os').networkInterfaces()).join())`;
        expect((await node(devices, { launch: { network: true } })).stdout.text.trim()).toMatch(/^(?:lo)?$/);
      });
    });

    it('does not apply to programs without network access', async (context) => {
      await needsTier(context);
      await on(async ({ node }) => {
        const outcome = await node(`console.log(process.env.HTTP_PROXY); ${FETCH}`, { launch: { args: [allowed] } });
        expect(outcome.stdout.text).toMatch(/^undefined\nfailed /);
      });
    });

    it('works for programs in other languages, and passes on their exit codes', async (context) => {
      await needsTier(context);
      await on(async ({ run, shell }) => {
        const launch = { program: '/usr/bin/python3', args: ['-c', PYTHON_FETCH, allowed], network: true };
        expect((await run({ launch })).stdout.text).toBe('served\n');
        const refused = await run({ launch: { ...launch, args: ['-c', PYTHON_FETCH, other] } });
        expect(refused.stdout.text).toMatch(/^403 Access to 127\.0\.0\.3:\d+ was refused: it is not on the list/);
        expect(await shell('exit 7', { launch: { network: true } })).toMatchObject({ reason: 'exit', exitCode: 7 });
        expect(await shell('kill -SEGV $$', { launch: { network: true } })).toMatchObject({ signal: 'SIGSEGV' });
        const endless = await shell('sleep 300', { launch: { network: true }, timeoutMs: 300 });
        expect(endless).toMatchObject({ reason: 'timeout' });
        expect((await shell('cat', { launch: { network: true }, stdin: 'through' })).stdout.text).toBe('through');
      });
    });

    it('works for handlers in warm workers', async (context) => {
      await needsTier(context);
      const bench = createHandlerBench(sandbox);
      bench.write(
        'ask.mjs',
        `${prelude}export default async ({ url }) => [await fetch(url).then((r) => r.status, () => 0), process.pid];`,
      );
      const launch = { network: true };
      const first = valueOf(await bench.call('ask.mjs', { url: allowed }, { launch })) as number[];
      const second = valueOf(await bench.call('ask.mjs', { url: other }, { launch })) as number[];
      expect([first[0], second[0], first[1] === second[1]]).toEqual([200, 0, true]);
    });
  });
}
