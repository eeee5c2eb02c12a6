import { Hono } from 'hono';
import { readFileSync } from 'node:fs';
import type { GatewayEnv } from '../http/gateway-env.ts';
import { DOCS_PAGE, DOCS_STYLE } from './docs-page.ts';

/** Nothing of another site, nothing inline, and no page around it. */
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

/** A page on which every operation of `/openapi.json` is described and can be tried. It needs nothing but the gateway. */
export function createDocsRoutes(): Hono<GatewayEnv> {
  const routes = new Hono<GatewayEnv>();
  for (const [path, type, text] of FILES)
    routes.get(path, (context) => context.body(text(), 200, { ...PAGE_HEADERS, 'content-type': type }));
  return routes;
}

let script: string | undefined;

/** The script in `browser/`. A build has it in one file; run from sources, its modules lose their types and are put together. */
function readScript(): string {
  script ??= import.meta.url.endsWith('.ts')
    ? ['operations', 'page'].map((name) => withoutTypes(read(`browser/${name}.ts`))).join('\n')
    : read('docs-page.mjs');
  return script;
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** Node 20 lacks the function: imported by name, it would fail the import of the gateway before it can say which Node it needs. */
function withoutTypes(source: string): string {
  const text = process.getBuiltinModule('node:module').stripTypeScriptTypes(source);
  return text.replaceAll(/^import [^;]*;|^export /gm, '');
}
