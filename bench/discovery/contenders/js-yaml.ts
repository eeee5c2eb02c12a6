import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { walk } from './walk.ts';

// The copy our package depends on, so that both parse with the same version.
const fromPackage = createRequire(new URL('../../../packages/skillwright/package.json', import.meta.url));
const { load } = fromPackage('js-yaml') as { load: (text: string) => unknown };

const FRONTMATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/;

/**
 * The approach of most loaders: read the whole file, match a regular expression, run the YAML parser. Counts files that parse to
 * a mapping.
 */
export function discover(dir: string): number {
  const skills: object[] = [];
  walk(dir, (file) => {
    const match = FRONTMATTER.exec(readFileSync(file, 'utf8'));
    if (match === null) return;
    try {
      const data = load(match[1] ?? '');
      if (typeof data === 'object' && data !== null) skills.push(data);
    } catch {
      // Not YAML: this loader drops the skill.
    }
  });
  return skills.length;
}
