import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { HandlerContext } from '../../executions/executor.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { BrowserProxy } from './browser-proxy.ts';
import { failed, takeStep, type StepAnswer, type Visit } from './browser-visit.ts';
import type { BuiltIn } from '../builtin.ts';
import { defineBuiltIn } from '../define-built-in.ts';
import type { BuiltInGuards } from '../guards.ts';
import type { ChromiumBrowser, Playwright } from './playwright.ts';
import { createTurns } from '../turns.ts';

export interface BrowserOptions {
  /** Undefined: what Playwright finds. */
  readonly program: string | undefined;
  readonly path: string;
  /** Default: `playwright-core`, where it is installed. */
  readonly load?: (() => Promise<unknown>) | undefined;
}

const ROW_TIMEOUT_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 55_000;
const MAX_STEPS = 20;
const VIEWPORT = { width: 1280, height: 800 } as const;
/** Whatever is no web request, and so would not go through the proxy, must not be made; nor is any name looked up here. */
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

/** A browser that is started for each call, knows nothing of the one before, and reaches public hosts only. */
export function createBrowser(
  { workspace, openProxy }: Pick<BuiltInGuards, 'workspace' | 'openProxy'>,
  options: BrowserOptions,
): BuiltIn {
  const turns = createTurns();
  return defineBuiltIn({
    name: 'browser',
    description:
      'Opens a web page in a browser, takes steps on it, and answers what each found. Selectors are those of CSS, or text=… for words on the page.',
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
      url: z.string().describe('Where the steps ended.'),
      title: z.string(),
      steps: z.array(STEP_ANSWER),
      blocked: z.array(z.string()).describe('What the page asked for and was not given.'),
    }),
    policy: 'manual',
    tags: ['browser', 'web'],
    timeoutMs: ROW_TIMEOUT_MS,
    retries: 1,
    run: ({ url, steps, timeoutMs }, context) =>
      // One at a time for each tenant: a browser is large.
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

type Work<T> = (browser: ChromiumBrowser, proxy: BrowserProxy) => Promise<T>;

/** Whatever happens, nothing of the browser is left. */
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
  const timer = setTimeout(() => ended.abort(failed('wait', `It took longer than ${timeoutMs} ms.`)), timeoutMs);
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
  // Not a constant: it is no dependency, and nothing must try to bundle it.
  const name = 'playwright-core';
  let loaded: unknown;
  try {
    loaded = await (load === undefined ? import(name) : load());
  } catch (cause) {
    const message = `'${name}' is not installed. The operator of the gateway runs: npm install ${name}`;
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
      // It cannot be had by root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: FLAGS,
      env: { PATH: path, HOME: tmpdir() },
      // Also for this machine, which browsers otherwise reach by themselves.
      proxy: { server: proxy.url, bypass: '<-loopback>' },
      timeout,
    });
  } catch (cause) {
    const problem = cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : String(cause);
    const remedy = "Install one with `npx playwright-core install chromium`. 'builtins.browserProgram' names another.";
    const ended = /[.!?]$/.test(problem) ? problem : `${problem}.`;
    throw new GatewayError('BrowserUnavailable', `No Chromium could be started: ${ended} ${remedy}`, { cause });
  }
}

/** Work that is left behind fails in silence: its browser is closed. */
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
