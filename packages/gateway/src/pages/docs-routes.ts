import { Hono } from 'hono';
import { readFileSync } from 'node:fs';
import type { GatewayEnv } from '../http/gateway-env.ts';
import { DOCS_STYLE } from './docs-style.ts';

const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Skillwright gateway: API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <header>
      <div>
        <h1>Skillwright gateway</h1>
        <p id="about">Loading the description of the API …</p>
      </div>
      <form id="access" autocomplete="off">
        <label for="token">Key</label>
        <input id="token" type="password" placeholder="sk-sw-…" autocomplete="off" spellcheck="false" />
        <p>Kept in this page only, until it is closed.</p>
      </form>
    </header>
    <div id="columns">
      <nav aria-label="Operations">
        <input id="search" type="search" placeholder="Search operations" aria-label="Search operations" />
        <div id="list"></div>
      </nav>
      <main id="operation" tabindex="-1"></main>
    </div>
    <noscript>This page needs JavaScript. The description itself is at /openapi.json.</noscript>
    <script type="module" src="/docs/page.js"></script>
  </body>
</html>
`;

/** Headers that forbid everything from other sites, inline code, and framing. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const FILES: readonly (readonly [path: string, type: string, text: () => string])[] = [
  ['/docs', 'text/html; charset=utf-8', () => DOCS_PAGE],
  ['/docs/page.js', 'text/javascript; charset=utf-8', readScript],
  ['/docs/page.css', 'text/css; charset=utf-8', () => DOCS_STYLE],
];

/**
 * A page that describes every operation of `/openapi.json` and lets readers try it. It loads nothing from other sites.
 */
export function createDocsRoutes(): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  for (const [path, type, text] of FILES)
    routes.get(path, (context) => context.body(text(), 200, { ...PAGE_HEADERS, 'content-type': type }));
  return routes;
}

let script: string | undefined;

/**
 * The script in `browser/`. A build bundles it into one file; from sources, its modules are stripped of types and
 * joined.
 */
function readScript(): string {
  script ??= import.meta.url.endsWith('.ts')
    ? ['operations', 'page'].map((name) => withoutTypes(read(`browser/${name}.ts`))).join('\n')
    : read('docs-page.mjs');
  return script;
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/**
 * Removes TypeScript types. Node 20 lacks the function for this, and a named import would fail before the gateway can
 * report which version of Node it needs.
 */
function withoutTypes(source: string): string {
  const text = process.getBuiltinModule('node:module').stripTypeScriptTypes(source);
  return text.replaceAll(/^import [^;]*;|^export /gm, '');
}
