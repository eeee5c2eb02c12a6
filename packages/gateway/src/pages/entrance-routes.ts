import { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { html } from 'hono/html';
import { VERSION } from 'skillwright';
import { PROGRAM } from 'skillwright/host';
import type { GatewayContext, GatewayEnv } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';
import { PAGE_HEADERS } from './docs-routes.ts';
import { PALETTE } from './docs-style.ts';

/** The data on the page at `/`. */
interface Entrance {
  readonly version: string;
  readonly status: 'ready' | 'unavailable';
  /** The number of skills. Their names are not public. */
  readonly skills: number;
}

const ENTRANCE_STYLE: string = `${PALETTE}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 0 auto; padding: clamp(1.5rem, 8vh, 5rem) 1.25rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 0.5rem; }
p { margin: 1rem 0 0.5rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0.25rem 0 0; color: var(--quiet); }
.ready::before, .unavailable::before { content: ''; display: inline-block; width: 0.6rem; height: 0.6rem;
  border-radius: 50%; margin-right: 0.45rem; background: var(--get); }
.unavailable { color: var(--delete); } .unavailable::before { background: var(--delete); }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.5rem 1.5rem; margin: 0; padding: 1rem 1.25rem;
  background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: 0.9rem/1.5 ui-monospace, monospace; }
pre { margin: 0; padding: 0.75rem 1.25rem; background: var(--code); border: 1px solid var(--line); border-radius: 8px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
@media (max-width: 32rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 0.6rem; } dd:last-child { margin: 0; } }
`;

/** The root of the gateway: a page in a browser, JSON for programs. It needs no key, so it names no skill. */
export function createEntranceRoutes({ store, registry }: Pick<GatewayParts, 'store' | 'registry'>): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  routes.get('/', async (context) => {
    const entrance: Entrance = {
      version: VERSION,
      status: await store.check().then(
        () => 'ready' as const,
        () => 'unavailable' as const,
      ),
      skills: countSkills(registry),
    };
    const headers = { ...PAGE_HEADERS, vary: 'accept' };
    if (accepts(context, PREFERRED) === JSON_TYPE)
      return context.json({ name: 'Skillwright gateway', ...entrance, ...ADDRESSES }, 200, headers);
    const page = await entrancePage(entrance, originOf(context));
    return context.body(page, 200, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  });
  routes.get('/docs/entrance.css', (context) =>
    context.body(ENTRANCE_STYLE, 200, { ...PAGE_HEADERS, 'content-type': 'text/css; charset=utf-8' }),
  );
  return routes;
}

const JSON_TYPE = 'application/json';
/** Prefers JSON: browsers ask for HTML by name, but most programs accept anything. */
const PREFERRED: Parameters<typeof accepts>[1] = {
  header: 'Accept',
  supports: [JSON_TYPE, 'text/html'],
  default: JSON_TYPE,
};

const ADDRESSES = { docs: '/docs', openapi: '/openapi.json', health: '/health' };

/** Counts shared skills that are not off, without their older versions. */
function countSkills({ current }: GatewayParts['registry']): number {
  const shared = current.all.filter(({ enabled, apiKeyId }) => enabled && apiKeyId === null);
  return new Set(shared.map(({ name }) => name)).size;
}

/** The address that the browser used. A proxy's header says whether it was https. */
function originOf(context: GatewayContext): string {
  const { origin, host } = new URL(context.req.url);
  return context.req.header('x-forwarded-proto') === 'https' ? `https://${host}` : origin;
}

/** Where the command line looks for a gateway by default. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:4747';

/** The page at `/`. `origin` is the address that the browser used. */
async function entrancePage({ version, status, skills }: Entrance, origin: string): Promise<string> {
  const isReady = status === 'ready';
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Skillwright gateway</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/docs/entrance.css" />
      </head>
      <body>
        <main>
          <h1>Skillwright gateway</h1>
          <p class="facts">
            <span class="${isReady ? 'ready' : 'unavailable'}">${isReady ? 'Ready' : 'Not ready: see the log'}</span>
            <span>${skills} ${skills === 1 ? 'skill' : 'skills'}</span>
            <span>Version ${version}</span>
          </p>
          <h2>Point your app here</h2>
          <dl>
            <dt>OpenAI, AI SDK</dt>
            <dd><code>${origin}/v1</code></dd>
            <dt>Anthropic, Claude Code</dt>
            <dd><code>${origin}</code></dd>
            <dt>Gemini</dt>
            <dd><code>${origin}</code></dd>
          </dl>
          <p>
            Set the base URL of the app's client to its address above, with a key of this gateway. To make a key, with
            the admin key in <code>SKILLWRIGHT_TOKEN</code>:
          </p>
          <pre>${PROGRAM} keys create my-app${origin === DEFAULT_ORIGIN ? '' : ` --url ${origin}`}</pre>
          <p><a href="/docs">API documentation</a></p>
        </main>
      </body>
    </html>`;
  return String(await page);
}
