import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import * as playwright from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBuiltIns, type TestBuiltIns } from '../gateway/builtins/built-ins.ts';
import { proves } from '../proves.ts';
import { startServer, type TestServer } from '../security/network/server.ts';

const program = await chromium.executablePath();

function openBrowser(allowHosts: readonly string[]): TestBuiltIns {
  const builtins = { browserProgram: program, allowHosts };
  return openBuiltIns({ builtins, loadPlaywright: () => Promise.resolve(playwright) });
}

function servePages(
  pages: Readonly<Record<string, string>>,
  redirects: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  return startServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    const location = redirects[path];
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    const page = pages[path];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': type }).end(page ?? 'Nothing here.');
  });
}

/** Browser processes that this process started. */
function browsers(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/exe`) === program && isOwn(name);
    } catch {
      return false;
    }
  });
}

function isOwn(pid: string): boolean {
  for (let at = pid; at !== '1' && at !== '0';) {
    if (at === String(process.pid)) return true;
    at = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? '0';
  }
  return false;
}

describe('browser', { timeout: 120_000 }, () => {
  it('opens a page, fills it in, clicks, reads, and takes a screenshot', async () => {
    proves('S4.builtin.browser');
    const form = `<title>Form</title><input id="name"><button onclick="document.body.append('Hello, ' + document.querySelector('#name').value)">Greet</button>`;
    const { authority } = await servePages({ '/': form, '/next': '<title>Next</title>the next page' });
    const { call, workspaceOf } = openBrowser([authority]);
    const url = `http://${authority}/`;
    const answer = await call('browser', {
      url,
      steps: [
        { action: 'fill', selector: '#name', value: 'otter' },
        { action: 'click', selector: 'text=Greet' },
        { action: 'text' },
        { action: 'screenshot', path: 'shots/page.png' },
        { action: 'goto', url: `${url}next` },
        { action: 'text' },
      ],
    });
    expect(answer).toEqual({
      success: true,
      url: `${url}next`,
      title: 'Next',
      steps: [
        { action: 'goto', status: 200 },
        { action: 'fill' },
        { action: 'click' },
        { action: 'text', text: expect.stringContaining('Hello, otter') as string, truncated: false },
        { action: 'screenshot', path: 'shots/page.png' },
        { action: 'goto', status: 200 },
        { action: 'text', text: 'the next page', truncated: false },
      ],
      blocked: [],
    });
    expect(
      readFileSync(join(workspaceOf('k'), 'shots/page.png'))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(browsers()).toEqual([]);
  });

  it('reaches no private address, whatever a page tries', async () => {
    proves('S4.builtin.browser');
    const inside = await startServer((_request, response) => response.end('inside'));
    const heard: string[] = [];
    const stun = createSocket('udp4', (message) => heard.push(message.toString('hex')));
    onTestFinished(() => void stun.close());
    stun.bind(0, '127.0.0.1');
    await once(stun, 'listening');
    const at = (scheme: string, host = '127.0.0.1'): string => `${scheme}://${host}:${inside.port}/`;
    const attack = `
      <link rel="preconnect" href="${at('http')}"><link rel="prefetch" href="${at('http')}a">
      <link rel="dns-prefetch" href="${at('http', 'localhost')}"><img src="${at('http')}img"><img src="/redirect">
      <iframe src="${at('http', 'localhost')}frame"></iframe><script src="${at('http', '127.1')}s.js"></script>
      <script type="speculationrules">{"prerender":[{"urls":["${at('http')}p"]}]}</script>
      <script>
        const tried = [];
        const attempt = (name, work) => Promise.race([work(), new Promise((_, no) => setTimeout(no, 3000))])
          .then(() => tried.push(name + ' got through'), () => tried.push(name + ' refused'));
        const socket = (url) => new Promise((yes, no) => { const s = new WebSocket(url); s.onopen = yes; s.onerror = no; });
        const source = (url) => new Promise((yes, no) => { const s = new EventSource(url); s.onopen = yes; s.onerror = no; });
        const worker = () => new Promise((yes, no) => {
          const w = new Worker(URL.createObjectURL(new Blob(['fetch("${at('http')}w", {mode:"no-cors"}).then(() => postMessage(1), () => postMessage(0))'])));
          w.onmessage = ({ data }) => data ? no() : no(); });
        (async () => {
          navigator.sendBeacon('${at('http')}beacon', 'x');
          await Promise.all([
            attempt('fetch', () => fetch('${at('http')}', { mode: 'no-cors' }).then((r) => { if (r.status === 200) return; throw 0; })),
            attempt('websocket', () => socket('${at('ws')}')),
            attempt('event source', () => source('${at('http')}e')),
            attempt('worker', worker),
            attempt('service worker', () => navigator.serviceWorker.register('/sw.js').then((r) => { if (!r.active && !r.installing) throw 0; })),
          ]);
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] });
          peer.createDataChannel('x');
          await peer.setLocalDescription(await peer.createOffer());
          await new Promise((yes) => setTimeout(yes, 1500));
          document.title = 'tried';
          document.body.append(tried.sort().join(', ') + '. over');
        })();
      </script>`;
    const { authority } = await servePages(
      { '/': attack, '/sw.js': 'self.addEventListener("fetch", () => {});' },
      { '/redirect': at('http') },
    );
    const { call } = openBrowser([authority]);
    const answer = await call('browser', {
      url: `http://${authority}/`,
      steps: [{ action: 'click', selector: 'text=over' }, { action: 'text' }],
    });
    const text = JSON.stringify(answer['steps']);
    expect(text).toContain('over');
    for (const name of ['websocket', 'event source', 'service worker'])
      expect(text).not.toContain(`${name} got through`);
    expect(answer['blocked']).toContain(`127.0.0.1:${inside.port}`);
    expect(inside.connections()).toBe(0);
    expect(heard).toEqual([]);
  });

  it.each([
    ['file:///etc/passwd', 'Only http and https'],
    ['chrome://version', 'Only http and https'],
    ['http://127.0.0.1:8099/', 'is not allowed'],
    ['http://localhost:8099/', 'is not allowed'],
    ['http://[::1]:8099/', 'is not allowed'],
    ['http://2130706433:8099/', 'is not allowed'],
    ['https://169.254.169.254/latest', 'is not allowed'],
  ])('does not open %s', async (url, message) => {
    const { call } = openBrowser([]);
    await expect(call('browser', { url })).rejects.toMatchObject({
      code: 'BrowserStepFailed',
      message: expect.stringContaining(message) as string,
    });
    expect(browsers()).toEqual([]);
  });

  it('does not follow a redirect to a private address', async () => {
    const inside = await startServer((_request, response) => response.end('inside'));
    const { authority } = await servePages({}, { '/': `http://127.0.0.1:${inside.port}/` });
    const { call } = openBrowser([authority]);
    const answer = await call('browser', { url: `http://${authority}/` });
    expect(answer).toMatchObject({ blocked: [`127.0.0.1:${inside.port}`], steps: [{ status: 403 }, {}] });
    expect(inside.connections()).toBe(0);
  });

  it('names the step that failed, and leaves no process when it is canceled or times out', async () => {
    const { authority } = await servePages({ '/': 'plain' });
    const { call } = openBrowser([authority]);
    const url = `http://${authority}/`;
    const steps = [{ action: 'click', selector: '#nowhere' }];
    await expect(call('browser', { url, steps, timeoutMs: 3_000 })).rejects.toMatchObject({
      code: 'BrowserStepFailed',
      message: expect.stringMatching(/'(?:click|wait)'/) as string,
    });
    expect(browsers()).toEqual([]);
    const cancel = new AbortController();
    const running = call('browser', { url, steps }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(new RangeError('enough')), 1_500);
    await expect(running).rejects.toThrow('enough');
    expect(browsers()).toEqual([]);
  });

  it('says that Chromium is missing', async () => {
    const builtins = { browserProgram: '/nowhere/chromium' };
    const { call } = openBuiltIns({ builtins, loadPlaywright: () => Promise.resolve(playwright) });
    await expect(call('browser', { url: 'http://example.org/' })).rejects.toMatchObject({ code: 'BrowserUnavailable' });
  });
});
