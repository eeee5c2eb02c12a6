import { describe, expect, it } from 'vitest';
import { listFiles, readText } from '../structure/source-files.ts';

interface SidebarGroup {
  readonly title: string;
  readonly about: string;
  /** Paths below `docs`. */
  readonly pages: readonly string[];
}

const groups = JSON.parse(readText('docs/sidebar.json')) as readonly SidebarGroup[];
const listed = groups.flatMap(({ pages }) => pages);
const pages = listFiles('docs/**/*.md').map((path) => path.slice('docs/'.length));

describe('the sidebar of the documentation', () => {
  it('lists every page once, except the front page', () => {
    expect([...listed, 'index.md'].sort()).toEqual(pages);
  });

  it('has groups with a title, a sentence and at least one page', () => {
    for (const { title, about, pages: entries } of groups) {
      expect(title).toMatch(/^\w/);
      expect(about).toMatch(/\.$/);
      expect(entries.length).toBeGreaterThan(0);
    }
  });

  it("can use each page's first heading as its label", () => {
    const untitled = pages.filter((path) => !/^# \S/m.test(readText(`docs/${path}`)));
    expect(untitled).toEqual([]);
  });
});
