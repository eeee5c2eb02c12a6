import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBody } from './body.ts';
import { writeFrontmatter } from './frontmatter.ts';
import { createRandom, type Random } from '../random.ts';
import { THINGS, TOPICS, VERBS } from './words.ts';

/** The contents of a generated tree. */
export interface GeneratedTree {
  skills: number;
  files: number;
  bytes: number;
}

/**
 * Writes `count` skills under `root`: 80 % directly in it, the rest in groups one or two levels deep. The mix of
 * frontmatter styles, sizes and extra files follows published skills. The same seed writes the same bytes.
 */
export function generateTree(root: string, count: number, seed = 1): GeneratedTree {
  const random = createRandom(seed);
  const taken = new Set<string>();
  const tree: GeneratedTree = { skills: 0, files: 0, bytes: 0 };
  mkdirSync(root, { recursive: true });
  for (let index = 0; index < count; index++) {
    const name = chooseName(random, taken);
    const folder = join(root, chooseGroup(random, count), name);
    writeSkill(folder, name, random, tree);
  }
  return tree;
}

function chooseName(random: Random, taken: Set<string>): string {
  const stem = `${random.pick(VERBS)}-${random.pick(TOPICS)}-${random.pick(THINGS)}`;
  let name = stem;
  for (let copy = 2; taken.has(name); copy++) name = `${stem}-${copy}`;
  taken.add(name);
  return name;
}

/** The group's path below the root, or '' for no group. A group has about 15 skills. */
function chooseGroup(random: Random, count: number): string {
  if (!random.chance(0.2)) return '';
  const group = `team-${random.between(1, Math.max(2, Math.round(count / 75)))}`;
  return random.chance(0.25) ? join(group, `area-${random.between(1, 3)}`) : group;
}

function writeSkill(folder: string, name: string, random: Random, tree: GeneratedTree): void {
  const write = (path: string, text: string): void => {
    writeFileSync(join(folder, path), text);
    tree.files++;
    tree.bytes += Buffer.byteLength(text);
  };
  mkdirSync(folder, { recursive: true });
  let text = `---\n${writeFrontmatter(name, random)}---\n\n${writeBody(name, random)}`;
  if (random.chance(0.01)) text = text.replaceAll('\n', '\r\n');
  if (random.chance(0.005)) text = `\uFEFF${text}`;
  write('SKILL.md', text);
  tree.skills++;
  if (random.chance(0.25)) {
    mkdirSync(join(folder, 'scripts'));
    const script = random.pick(SCRIPTS);
    write(script.path, script.text);
    // A quarter of all skills have a script, and 8 % of those also have tools: 2 % of all skills.
    if (random.chance(0.08)) write('tools.json', writeTools(name, script.path));
  }
  if (random.chance(0.1)) {
    mkdirSync(join(folder, 'references'));
    for (let page = random.between(1, 3); page > 0; page--)
      write(`references/page-${page}.md`, writeBody(name, random));
  }
}

const SCRIPTS = [
  { path: 'scripts/run.py', text: 'def handler(args):\n    return {"ok": True}\n' },
  { path: 'scripts/run.mjs', text: 'export default () => ({ ok: true });\n' },
  { path: 'scripts/run.sh', text: '#!/bin/sh\necho \'{"ok":true}\'\n' },
] as const;

function writeTools(name: string, script: string): string {
  const tool = {
    name: name.replaceAll('-', '_'),
    description: 'Runs the bundled script on one file.',
    script,
    parameters: {
      path: { type: 'string', description: 'The file to work on.' },
      limit: { type: 'number', description: 'At most this many rows.', optional: true },
    },
  };
  return `${JSON.stringify([tool], null, 2)}\n`;
}
