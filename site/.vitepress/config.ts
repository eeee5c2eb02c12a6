import { join, posix, relative, sep } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { toAnchor } from '../anchors.ts';
import { renderDiagram } from '../diagrams/render-diagram.ts';
import type { Palette } from '../diagrams/svg.ts';
import { createSidebar, excludedPatterns, readGroups, repository, resolveLink, toPage, toRoute } from './pages.ts';

const ICON =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#3a5ccc'/><path d='M21 10.5c-1-1.7-2.9-2.5-5-2.5-2.9 0-5 1.5-5 3.9 0 5.5 10.2 2.7 10.2 8 0 2.5-2.3 4.1-5.2 4.1-2.4 0-4.5-1-5.5-2.9' fill='none' stroke='#fff' stroke-width='3' stroke-linecap='round'/></svg>";

/** Diagrams use the page's colors. */
const PALETTE: Palette = {
  text: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-2)',
  line: 'var(--vp-c-text-2)',
  box: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-border)',
  accent: 'var(--vp-c-brand-1)',
  background: 'var(--vp-c-bg)',
};

type Token = ReturnType<Parameters<NonNullable<MarkdownOptions['config']>>[0]['parse']>[number];

/**
 * Turns links to pages into links within the site, and links to other files of the repository into plain text that names them.
 */
function resolveLinks(from: string, tokens: readonly Token[]): void {
  let isPlain = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? '';
      if (/^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const target = resolveLink(from, href);
      isPlain = target === undefined;
      if (target === undefined) toHtml(token, `<span title="In the repository: ${escapeHtml(href)}">`);
      else token.attrSet('href', target);
    } else if (token.type === 'link_close' && isPlain) {
      isPlain = false;
      toHtml(token, '</span>');
    }
  }
}

/** Forges choose the picture for their theme by a media query; here a class of the page decides. */
function renderPicture(html: string): string {
  const [, dark, light, alt] = /<picture>.*srcset="([^"]+)".*<img.* src="([^"]+)".* alt="([^"]+)"/s.exec(html) ?? [];
  if (dark === undefined || light === undefined || alt === undefined)
    throw new Error(`A picture needs a dark and a light file, and a text for both: ${html}`);
  const image = (name: string, path: string): string =>
    `<img class="picture ${name}-only" src="/${posix.basename(path)}" alt="${alt}">`;
  const pictures = image('light', light) + image('dark', dark);
  return `<div class="overview" tabindex="0" role="group" aria-label="Picture">${pictures}</div>`;
}

function toHtml(token: Token, html: string): void {
  token.type = 'html_inline';
  token.content = html;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const config = defineConfig({
  title: 'Skillwright',
  description: 'A runtime for Agent Skills: a library, a gateway and a command line.',
  lang: 'en',
  // Pages and their links keep their repository paths; `rewrites` shortens them for the site.
  srcDir: '..',
  srcExclude: excludedPatterns(),
  rewrites: (path) => toPage(path) ?? path,
  outDir: './dist',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  markdown: {
    attrs: { disable: true },
    anchor: { slugify: toAnchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
        return `<div class="diagram" tabindex="0" v-pre>${renderDiagram(token.content, PALETTE)}</div>\n`;
      };
      md.core.ruler.before('normalize', 'pictures', (state) => {
        state.src = state.src.replaceAll(/^<picture>.*?<\/picture>$/gms, renderPicture);
      });
      md.core.ruler.push('empty-headers', ({ tokens }) => {
        for (const [index, token] of tokens.entries())
          // A table header without text is not a header.
          if (token.type === 'th_open' && tokens[index + 1]?.content === '')
            for (const part of [token, tokens[index + 2]]) if (part !== undefined) part.tag = 'td';
      });
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        // The search index also renders pages, and knows their paths only as `path`.
        const { realPath, path } = env as { realPath?: string; path: string };
        const from = relative(repository, realPath ?? path)
          .split(sep)
          .join('/');
        for (const { children } of tokens) if (children !== null) resolveLinks(from, children);
      });
    },
  },
  transformPageData: (page) => {
    if (page.relativePath !== 'index.md') return;
    page.frontmatter = {
      layout: 'home',
      hero: {
        name: 'Skillwright',
        text: 'A runtime for Agent Skills',
        tagline: 'Give any model, framework or app skills: found, chosen, run safely and recorded.',
        actions: [
          { theme: 'brand', text: 'Get started', link: '/getting-started' },
          { theme: 'alt', text: 'Write a skill', link: '/first-skill' },
        ],
      },
      features: readGroups()
        .slice(1)
        .map(({ title, about, pages: [first = ''] }) => ({ title, details: about, link: toRoute(first) })),
    };
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: createSidebar(),
    nav: [
      { text: 'Get started', link: '/getting-started' },
      { text: 'Reference', link: '/reference/commands', activeMatch: '^/reference/' },
      {
        text: 'Project',
        items: [
          { text: 'Changelog', link: '/project/changelog' },
          { text: 'Contributing', link: '/project/contributing' },
          { text: 'Security policy', link: '/project/security' },
          { text: 'Benchmarks', link: '/project/benchmarks' },
          { text: 'Map of the code', link: '/project/map' },
        ],
      },
    ],
  },
  vite: {
    publicDir: join(repository, 'docs/diagrams'),
    build: { chunkSizeWarningLimit: 5_000 },
    plugins: [
      {
        // Pages lie outside this folder, where Vite cannot resolve Vue. Node resolves it from the bundle.
        name: 'vue-from-the-site',
        enforce: 'pre',
        resolveId: (id, _importer, { ssr }) =>
          ssr === true && (id === 'vue' || id === 'vue/server-renderer') ? { id, external: true } : undefined,
      },
    ],
  },
});

export default config;
