// Opens built pages in a browser, in light, in dark and on a phone. axe must find no problem, no page may be wider than its
// window, and nothing may be loaded from other hosts. `-- --all` opens every page, `-- --page <path>` opens one, and `--
// --screenshots <folder>` keeps screenshots.
import { existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type * as Axe from 'axe-core';
import chromium from '@sparticuz/chromium';
import { chromium as browsers, type Page } from 'playwright-core';

const dist = fileURLToPath(new URL('dist', import.meta.url));
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const SOME_PAGES = [
  '/',
  '/provider',
  '/gateway/proxy',
  '/trust',
  '/reference/errors',
  '/reference/api/skillwright-testing',
];
/** With `--all`, every page is opened only in the two views that differ most. */
const VIEWS = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'phone', colorScheme: 'light', width: 375 },
  { name: 'phone-dark', colorScheme: 'dark', width: 375 },
] as const;

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    page: { type: 'string', multiple: true },
    screenshots: { type: 'string' },
  },
});
const everyPage = (): string[] =>
  globSync('**/*.html', { cwd: dist, exclude: ['404.html'] }).map((path) => `/${path.split(sep).join('/')}`);
const pages = values.all ? everyPage() : (values.page ?? SOME_PAGES);
const views = VIEWS.filter(({ name }) => !values.all || name === 'light' || name === 'phone-dark');
if (values.screenshots !== undefined) mkdirSync(values.screenshots, { recursive: true });
if (!existsSync(join(dist, 'index.html'))) throw new Error('The site is not built. Run `npm run docs:build` first.');

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
  const isFile = (name: string): boolean => statSync(join(dist, name), { throwIfNoEntry: false })?.isFile() === true;
  const file = [path, `${path}.html`, `${path}index.html`].find(isFile);
  response.writeHead(file === undefined ? 404 : 200, {
    'content-type': TYPES[extname(file ?? '.html')] ?? 'text/plain',
  });
  response.end(file === undefined ? 'Not found' : readFileSync(join(dist, file)));
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await browsers.launch({ executablePath: await chromium.executablePath() });
const problems: string[] = [];

try {
  for (const { name, colorScheme, width } of views) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: 900 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    let at = '';
    const report = (problem: string): number => problems.push(`${at} (${name}): ${problem}`);
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(origin)) report(`loads ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) report(`${response.status()} for ${response.url()}`);
    });
    page.on('pageerror', (error) => report(error.message));
    for (at of pages) {
      await page.goto(origin + at);
      await page.waitForFunction(() => Object.hasOwn(document.querySelector('#app') ?? {}, '__vue_app__'));
      for (const problem of await findProblems(page)) report(problem);
      const file = `${at === '/' ? 'front' : at.slice(1).replaceAll('/', '-')}-${name}.png`;
      if (values.screenshots !== undefined) await page.screenshot({ path: join(values.screenshots, file) });
    }
    if (name === 'light' && values.page === undefined) {
      at = 'search';
      for (const problem of await search(page)) report(problem);
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.close();
}
for (const problem of problems) console.error(problem);
console.log(`${pages.length} pages in ${views.length} views: ${problems.length} problems.`);
if (problems.length > 0) process.exitCode = 1;

async function findProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof Axe }).axe.run();
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `axe ${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `is ${scrollWidth} pixels wide`] : found;
  });
}

/** Finds a page with the search box, using only the keyboard. */
async function search(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('bubblewrap');
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
  const found = await findProblems(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(/sandbox|running|trust|container/);
  return found;
}
