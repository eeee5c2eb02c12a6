import { relative, sep } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { toAnchor } from '../anchors.ts';
import { createSidebar, excludedPatterns, readGroups, repository, resolveLink, toPage, toRoute } from './pages.ts';

const ICON =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#3a5ccc'/><path d='M21 10.5c-1-1.7-2.9-2.5-5-2.5-2.9 0-5 1.5-5 3.9 0 5.5 10.2 2.7 10.2 8 0 2.5-2.3 4.1-5.2 4.1-2.4 0-4.5-1-5.5-2.9' fill='none' stroke='#fff' stroke-width='3' stroke-linecap='round'/></svg>";

type Token = ReturnType<Parameters<NonNullable<MarkdownOptions['config']>>[0]['parse']>[number];

/** Makes links to pages links within the site, and links to other files of the repository plain text that names them. */
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
  // Pages and their links keep the paths that they have in the repository; `rewrites` shortens them for the site.
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
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        // The search index renders pages too, and knows their paths only as `path`.
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
      { text: 'Reference', link: '/cli', activeMatch: '^/(cli|reference/)' },
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
    publicDir: false,
    build: { chunkSizeWarningLimit: 5_000 },
    plugins: [
      {
        // Pages lie outside this folder, where Vite finds no Vue. Node finds it from the bundle.
        name: 'vue-from-the-site',
        enforce: 'pre',
        resolveId: (id, _importer, { ssr }) =>
          ssr === true && (id === 'vue' || id === 'vue/server-renderer') ? { id, external: true } : undefined,
      },
    ],
  },
});

export default config;
