import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme } from 'vitepress';

type SidebarItem = DefaultTheme.SidebarItem;

export const repository: string = fileURLToPath(new URL('../..', import.meta.url));

interface SidebarGroup {
  readonly title: string;
  readonly about: string;
  readonly pages: readonly string[];
}

/** Files beside `docs` that are also pages, by their path on the site. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  'README.md': 'project/readme.md',
  'CHANGELOG.md': 'project/changelog.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'SECURITY.md': 'project/security.md',
  'AGENTS.md': 'project/map.md',
  'bench/README.md': 'project/benchmarks.md',
};

const API = 'site/generated/api/';

/** The path of a repository file on the site: `docs/cli.md` → `cli.md`; undefined if it is not a page. */
export function toPage(path: string): string | undefined {
  if (!path.endsWith('.md')) return undefined;
  if (path.startsWith('docs/')) return path.slice('docs/'.length);
  if (path.startsWith(API)) return `reference/api/${path.slice(API.length)}`;
  return OTHER_PAGES[path];
}

/** Folders that VitePress must not search for pages: all except those that have some. */
export function excludedPatterns(): string[] {
  const wanted = new Set(['docs', 'site', 'bench', ...Object.keys(OTHER_PAGES)]);
  const beside = readdirSync(repository, { withFileTypes: true }).filter(({ name }) => !wanted.has(name));
  const patterns = beside.map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name));
  return [...patterns, 'bench/*/**', 'site/.vitepress/**'];
}

/**
 * The target of a link on the site; undefined if it leads not to a page but to another file of the repository or to the forge
 * around it. Throws if the file should be in the repository but is missing.
 */
export function resolveLink(from: string, link: string): string | undefined {
  const [file = '', ...anchor] = link.split('#');
  const path = posix.join(posix.dirname(from), decodeURIComponent(file));
  if (path.startsWith('../')) return undefined;
  if (!existsSync(join(repository, path))) throw new Error(`${from}: the link '${link}' leads to no file.`);
  const page = toPage(path);
  return page === undefined ? undefined : `/${[page, ...anchor].join('#')}`;
}

export function readGroups(): readonly SidebarGroup[] {
  return JSON.parse(readFileSync(join(repository, 'docs/sidebar.json'), 'utf8')) as readonly SidebarGroup[];
}

/** The sidebar, with pages labelled by their first headings. Only the first group is open on every page. */
export function createSidebar(): SidebarItem[] {
  return readGroups().map(({ title, pages }, index) => {
    const items: SidebarItem[] = pages.map((page) => ({ text: titleOf(`docs/${page}`), link: toRoute(page) }));
    return {
      text: title,
      items: title === 'Reference' ? [...items, { text: 'API', collapsed: false, items: apiItems() }] : items,
      collapsed: index > 0,
    };
  });
}

export function toRoute(page: string): string {
  return `/${page.replace(/\.md$/, '')}`;
}

function apiItems(): SidebarItem[] {
  const names = existsSync(join(repository, API)) ? readdirSync(join(repository, API)).sort() : [];
  return names.map((name) => ({ text: titleOf(API + name), link: toRoute(`reference/api/${name}`) }));
}

function titleOf(path: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(repository, path), 'utf8'))?.[1];
  if (heading === undefined) throw new Error(`${path} has no first heading.`);
  return heading.replaceAll('`', '');
}
