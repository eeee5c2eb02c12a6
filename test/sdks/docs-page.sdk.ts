import chromium from '@sparticuz/chromium';
import { chromium as playwright, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { installReverseText, startRest } from '../gateway/rest/rest-gateway.ts';

/** One browser for all tests, started without the package's default flags, because `--single-process` is unstable here. */
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  chromiumSandbox: process.getuid?.() !== 0,
  env: { PATH: process.env['PATH'] ?? '' },
});
afterAll(() => browser.close());

/** Opens a separate page, closed after the test. `problems` collects the browser's complaints. */
async function openPage(
  url: string,
  options: BrowserContextOptions,
  path = '/docs',
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) problems.push(request.url());
  });
  await page.goto(`${url}${path}`);
  return { page, problems };
}

describe('the page at /docs, in a browser,', () => {
  it.each(['light', 'dark'] as const)('lists every operation and sends requests, %s', async (scheme) => {
    const { url, client } = await startRest();
    const manager = await client('manage', 'execute');
    await installReverseText(manager, { description: '<img src=x onerror=alert(1)>' });
    const { page, problems } = await openPage(url, { colorScheme: scheme });
    await page.waitForSelector('nav button');
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
    expect(await page.locator('nav button').count()).toBe(operations.length);
    await page.fill('#token', manager.secret);
    await page.fill('#search', 'list the skills');
    await page.click('nav button');
    await page.fill('#parameter-q', 'reverse-text');
    await page.click('button.send');
    const answer = page.locator('[role=status] pre');
    await answer.filter({ hasText: 'totalPages' }).waitFor();
    expect(JSON.parse((await answer.textContent()) ?? '')).toMatchObject({
      total: 1,
      skills: [{ name: 'reverse-text' }],
    });
    expect(await page.locator('img').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('sends a body, follows events, and forgets the key', async () => {
    const { url, client } = await startRest();
    const manager = await client('manage', 'execute');
    await installReverseText(manager);
    const { page, problems } = await openPage(url, { colorScheme: 'light' });
    await page.waitForSelector('nav button');
    await page.fill('#token', manager.secret);
    await page.evaluate(() => void (location.hash = 'runSkill'));
    await page.fill('#body', '{ "skillName": "reverse-text", "input": { "text": "abc" } }');
    await page.click('button.send');
    const answer = page.locator('[role=status] pre');
    await answer.filter({ hasText: 'success' }).waitFor();
    const { execution } = JSON.parse((await answer.textContent()) ?? '') as { execution: { id: string } };
    await page.evaluate(() => void (location.hash = 'watchExecution'));
    await page.fill('#parameter-id', execution.id);
    await page.click('button.send');
    await answer.filter({ hasText: 'event: status' }).waitFor();
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
    expect(kept).toEqual([0, 0, '']);
    await page.reload();
    expect(await page.inputValue('#token')).toBe('');
    expect(problems).toEqual([]);
  });
});

describe('the page at /, in a browser,', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
    ['dark', 375],
  ] as const)('is readable and links to /docs: %s, %i pixels wide', async (colorScheme, width) => {
    const { url, client } = await startRest();
    await installReverseText(await client('manage', 'execute'));
    const { page, problems } = await openPage(url, { colorScheme, viewport: { width, height: 800 } }, '/');
    expect(await page.locator('main').innerText()).toContain(`${url}/v1`);
    const { scrolled, colors } = await page.evaluate(() => ({
      scrolled: document.documentElement.scrollWidth > window.innerWidth,
      colors: ['body', 'a', 'dt', '.facts'].map((selector) => {
        const { color, backgroundColor } = getComputedStyle(document.querySelector(selector) ?? document.body);
        return [color, backgroundColor];
      }),
    }));
    expect(scrolled).toBe(false);
    expect(new Set(colors.flat()).size).toBeGreaterThan(3);
    await page.click('a[href="/docs"]');
    await page.waitForSelector('nav button');
    expect(problems).toEqual([]);
  });
});
