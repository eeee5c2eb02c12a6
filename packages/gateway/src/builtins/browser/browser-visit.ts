import { GatewayError } from '../../spec/gateway-error.ts';
import type { BrowserProxy } from './browser-proxy.ts';
import { cutText } from '../program-output.ts';
import type { ChromiumPage } from './playwright.ts';

export type BrowserStep =
  | { readonly action: 'goto'; readonly url: string }
  | { readonly action: 'click'; readonly selector: string }
  | { readonly action: 'fill'; readonly selector: string; readonly value: string }
  | { readonly action: 'text'; readonly selector: string }
  | { readonly action: 'screenshot'; readonly path: string; readonly fullPage: boolean };

export interface StepAnswer {
  readonly action: BrowserStep['action'];
  /** Of a page that was gone to. */
  status?: number | undefined;
  text?: string | undefined;
  truncated?: boolean | undefined;
  /** Of a picture, in the workspace. */
  path?: string | undefined;
}

export interface Visit {
  readonly page: ChromiumPage;
  readonly proxy: Pick<BrowserProxy, 'denials'>;
  readonly save: (path: string, content: Buffer) => Promise<unknown>;
}

const MAX_TEXT_CHARS = 50_000;
const WEB_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Does one step on a page. What a page does not let happen is a coded error that names the step. */
export async function takeStep(step: BrowserStep, visit: Visit): Promise<StepAnswer> {
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
  if (url === null || !(url.protocol in WEB_PORTS)) throw failed('goto', 'Only http and https URLs are gone to.');
  const target = `${url.hostname.replaceAll(/^\[|\]$/g, '')}:${url.port === '' ? WEB_PORTS[url.protocol] : url.port}`;
  const refusal = (): GatewayError | undefined => {
    const denial = proxy.denials.find((denied) => denied.target === target);
    return denial && failed('goto', `${target} is not reached: ${denial.reason}`);
  };
  try {
    const response = await page.goto(address, { waitUntil: 'load' });
    // Plain http is refused with a page that says so, which is not the one that was asked for.
    const refused = refusal();
    if (refused !== undefined) throw refused;
    return response?.status() ?? 0;
  } catch (error) {
    throw refusal() ?? error;
  }
}

export function failed(action: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('BrowserStepFailed', `The step '${action}' failed. ${problem}`, { cause, data: { action } });
}

/** What follows in an error of Playwright is a record of its attempts. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return cutText(text.split('\n', 1)[0] ?? '', 500);
}
