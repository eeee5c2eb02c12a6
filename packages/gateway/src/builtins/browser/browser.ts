import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { HandlerContext } from '../../executions/executor.ts';
import { GatewayError, messageOf } from '../../spec/gateway-error.ts';
import { type BuiltIn, defineBuiltIn } from '../builtin.ts';
import type { BuiltInGuards } from '../guards.ts';
import { cutText } from '../program-output.ts';
import { createTurns } from '../turns.ts';
import type { BrowserProxy } from './browser-proxy.ts';
import type { ChromiumBrowser, ChromiumPage, Playwright } from './playwright.ts';

type BrowserStep =
  | { readonly action: 'goto'; readonly url: string }
  | { readonly action: 'click'; readonly selector: string }
  | { readonly action: 'fill'; readonly selector: string; readonly value: string }
  | { readonly action: 'text'; readonly selector: string }
  | { readonly action: 'screenshot'; readonly path: string; readonly fullPage: boolean };

interface StepAnswer {
  readonly action: BrowserStep['action'];
  /** The HTTP status of a loaded page. */
  status?: number | undefined;
  text?: string | undefined;
  truncated?: boolean | undefined;
  /** The path of a screenshot in the workspace. */
  path?: string | undefined;
}

interface Visit {
  readonly page: ChromiumPage;
  readonly proxy: Pick<BrowserProxy, 'denials'>;
  readonly save: (path: string, content: Buffer) => Promise<unknown>;
}

const MAX_TEXT_CHARS = 50_000;
const WEB_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

export interface BrowserOptions {
  /** The path of the browser; `undefined` for the browser that Playwright finds. */
  readonly program: string | undefined;
  readonly path: string;
  /** Default: `playwright-core`, if it is installed. */
  readonly load?: (() => Promise<unknown>) | undefined;
}

const ROW_TIMEOUT_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 55_000;
const MAX_STEPS = 20;
const VIEWPORT = { width: 1280, height: 800 } as const;
/** Chromium flags that turn off local DNS lookups and all traffic that would bypass the proxy. */
const FLAGS = [
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-pings',
];

const SELECTOR = z.string().min(1).max(1_000);
const URL_TEXT = z.string().min(1).max(8_192);
const STEP = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('goto'), url: URL_TEXT }),
  z.strictObject({ action: z.literal('click'), selector: SELECTOR }),
  z.strictObject({ action: z.literal('fill'), selector: SELECTOR, value: z.string().max(100_000) }),
  z.strictObject({ action: z.literal('text'), selector: SELECTOR.default('body') }),
  z.strictObject({
    action: z.literal('screenshot'),
    path: z.string().min(1).max(1_024).default('screenshot.png'),
    fullPage: z.boolean().default(false),
  }),
]);
const STEP_ANSWER = z.object({
  action: z.enum(['goto', 'click', 'fill', 'text', 'screenshot']),
  status: z.int().optional(),
  text: z.string().optional(),
  truncated: z.boolean().optional(),
  path: z.string().optional(),
});

/** Starts a fresh browser for each call. The browser keeps no state, and reaches only hosts that its proxy allows. */
export function createBrowser(
  { workspace, openProxy }: Pick<BuiltInGuards, 'workspace' | 'openProxy'>,
  options: BrowserOptions,
): BuiltIn {
  const turns = createTurns();
  return defineBuiltIn({
    name: 'browser',
    description:
      'Opens a web page in a browser, runs steps on it, and returns the result of each. Selectors are CSS selectors, or text=… for words on the page.',
    input: z.strictObject({
      url: URL_TEXT,
      steps: z
        .array(STEP)
        .max(MAX_STEPS)
        .default([{ action: 'text', selector: 'body' }]),
      timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
    }),
    output: z.object({
      success: z.boolean(),
      url: z.string().describe('The URL of the page after the last step.'),
      title: z.string(),
      steps: z.array(STEP_ANSWER),
      blocked: z.array(z.string()).describe('The requests of the page that were blocked.'),
    }),
    policy: 'manual',
    tags: ['browser', 'web'],
    timeoutMs: ROW_TIMEOUT_MS,
    retries: 1,
    idempotent: onlyReads,
    run: ({ url, steps, timeoutMs }, context) =>
      // Each tenant runs one browser at a time, because a browser is large.
      turns.take(context.apiKeyId ?? '', () =>
        withBrowser({ ...options, openProxy }, timeoutMs, context.signal, async (browser, proxy) => {
          const own = await browser.newContext({ acceptDownloads: false, serviceWorkers: 'block', viewport: VIEWPORT });
          const page = await own.newPage();
          page.setDefaultTimeout(timeoutMs);
          const visit: Visit = {
            page,
            proxy,
            save: (path, content) => workspace.write(context, { path, content, append: false, overwrite: true }),
          };
          const answers: StepAnswer[] = [];
          for (const step of [{ action: 'goto', url } as const, ...steps]) answers.push(await takeStep(step, visit));
          const blocked = [...new Set(proxy.denials.map(({ target }) => target))];
          return { success: true, url: page.url(), title: await page.title(), steps: answers, blocked };
        }),
      ),
  });
}

/** Whether the steps of a call change nothing on the site. */
function onlyReads({ steps = [] }: Readonly<Record<string, unknown>>): boolean {
  return (steps as readonly BrowserStep[]).every(({ action }) => action !== 'click' && action !== 'fill');
}

type Work<T> = (browser: ChromiumBrowser, proxy: BrowserProxy) => Promise<T>;

/** Runs work with a browser. However the work ends, no browser process and no files are left behind. */
async function withBrowser<T>(
  options: BrowserOptions & Pick<BuiltInGuards, 'openProxy'>,
  timeoutMs: number,
  cancelled: HandlerContext['signal'],
  work: Work<T>,
): Promise<T> {
  cancelled.throwIfAborted();
  const playwright = await loadPlaywright(options);
  const proxy = await options.openProxy();
  let browser: ChromiumBrowser | undefined;
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(failed('wait', `The steps took longer than ${timeoutMs} ms.`)), timeoutMs);
  const signal = AbortSignal.any([cancelled, ended.signal]);
  try {
    browser = await launch(playwright, options, proxy, timeoutMs);
    return await untilAborted(work(browser, proxy), signal);
  } finally {
    clearTimeout(timer);
    await browser?.close().catch(() => {});
    await proxy.close();
  }
}

async function loadPlaywright({ load }: BrowserOptions): Promise<Playwright> {
  // The name is kept in a variable so that bundlers do not resolve the package, which is not a dependency.
  const name = 'playwright-core';
  let loaded: unknown;
  try {
    loaded = await (load === undefined ? import(name) : load());
  } catch (cause) {
    const message = `'${name}' is not installed. The gateway's operator can install it: npm install ${name}`;
    throw new GatewayError('BrowserUnavailable', message, { cause });
  }
  const main = loaded as Playwright & { readonly default?: Playwright };
  return main.chromium === undefined && main.default !== undefined ? main.default : main;
}

async function launch(
  { chromium }: Playwright,
  { program, path }: BrowserOptions,
  proxy: BrowserProxy,
  timeout: number,
): Promise<ChromiumBrowser> {
  try {
    return await chromium.launch({
      headless: true,
      ...(program === undefined ? {} : { executablePath: program }),
      // Chromium's own sandbox does not work for root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: FLAGS,
      env: { PATH: path, HOME: tmpdir() },
      // Loopback goes through the proxy, too; browsers would bypass it by default.
      proxy: { server: proxy.url, bypass: '<-loopback>' },
      timeout,
    });
  } catch (cause) {
    const problem = cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : String(cause);
    const remedy = "Install it with `npx playwright-core install chromium`, or set 'builtins.browserProgram'.";
    const ended = /[.!?]$/.test(problem) ? problem : `${problem}.`;
    throw new GatewayError('BrowserUnavailable', `Chromium could not start: ${ended} ${remedy}`, { cause });
  }
}

/** Rejects when the signal aborts. Later failures of the abandoned work are ignored: its browser is closed. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}

/** Does one step on a page. If the page does not allow it, throws a coded error that names the step. */
async function takeStep(step: BrowserStep, visit: Visit): Promise<StepAnswer> {
  const { page } = visit;
  const { action } = step;
  try {
    switch (action) {
      case 'goto':
        return { action, status: await goTo(step.url, visit) };
      case 'click':
        await page.click(step.selector);
        return { action };
      case 'fill':
        await page.fill(step.selector, step.value);
        return { action };
      case 'text': {
        const text = await page.innerText(step.selector);
        return { action, text: cutText(text, MAX_TEXT_CHARS), truncated: text.length > MAX_TEXT_CHARS };
      }
      case 'screenshot':
        await visit.save(step.path, Buffer.from(await page.screenshot({ fullPage: step.fullPage })));
        return { action, path: step.path };
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw failed(action, firstLine(error), error);
  }
}

async function goTo(address: string, { page, proxy }: Visit): Promise<number> {
  const url = URL.parse(address);
  if (url === null || !(url.protocol in WEB_PORTS)) throw failed('goto', 'Only http and https URLs are supported.');
  const target = `${url.hostname.replaceAll(/^\[|\]$/g, '')}:${url.port === '' ? WEB_PORTS[url.protocol] : url.port}`;
  const refusal = (): GatewayError | undefined => {
    const denial = proxy.denials.find((denied) => denied.target === target);
    return denial && failed('goto', `${target} is not allowed: ${denial.reason}`);
  };
  try {
    const response = await page.goto(address, { waitUntil: 'load' });
    // The proxy answers a refused plain-http request with a page, so look for a refusal first.
    const refused = refusal();
    if (refused !== undefined) throw refused;
    return response?.status() ?? 0;
  } catch (error) {
    throw refusal() ?? error;
  }
}

function failed(action: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('BrowserStepFailed', `The step '${action}' failed. ${problem}`, { cause, data: { action } });
}

/** The lines after the first of a Playwright error are a log of its attempts. */
function firstLine(error: unknown): string {
  const text = messageOf(error);
  return cutText(text.split('\n', 1)[0] ?? '', 500);
}
