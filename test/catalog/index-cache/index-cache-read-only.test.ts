import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSkillTree, goodSkill, type SkillTree } from '../../support/skill-tree.ts';

const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', '--', 'true']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: index caches on read-only disks, because bubblewrap does not work here.');
const LIBRARY = new URL('../../../packages/skillwright/src/index.ts', import.meta.url).href;

/** Discovers in a process for which every disk is read-only, so that even root can write nothing. */
function discoverReadOnly(tree: SkillTree): { names: string[]; lines: string[] } {
  const program = `
    // Recently written files are not cached, so the tree is made a minute old.
    const now = Date.now();
    Date.now = () => now + 60_000;
    const { SkillManager } = await import(${JSON.stringify(LIBRARY)});
    const lines = [];
    const log = (message, data) => void lines.push(message + ' ' + (data?.reason ?? ''));
    const manager = new SkillManager({
      projectSkillDir: ${JSON.stringify(tree.path('skills'))},
      indexCache: ${JSON.stringify(tree.path('cache/skills.idx'))},
      logger: { debug: log, info() {}, warn: log, error: log },
    });
    const { skills } = await manager.discover();
    console.log(JSON.stringify({ names: skills.map(({ name }) => name), lines }));
  `;
  const args = ['--ro-bind', '/', '/', '--dev', '/dev', '--', process.execPath, '--input-type=module', '-e', program];
  const { status, stdout, stderr } = spawnSync('bwrap', args, { encoding: 'utf8' });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as { names: string[]; lines: string[] };
}

describe.skipIf(!hasBubblewrap)('an index cache on a read-only disk', () => {
  it('does not prevent discovery if it does not exist yet', () => {
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a') });
    const { names, lines } = discoverReadOnly(tree);
    expect(names).toEqual(['a']);
    expect(lines.filter((line) => line.startsWith('The index cache could not be written.'))).toHaveLength(1);
    expect(readdirSync(tree.root)).toEqual(['skills']);
  });

  it('is neither used nor modified if it has another version', () => {
    const tree = createSkillTree({ 'skills/a/SKILL.md': goodSkill('a'), 'cache/': '' });
    const foreign = 'skillwright-index 999 []\n';
    writeFileSync(tree.path('cache/skills.idx'), foreign, { mode: 0o600 });
    expect(discoverReadOnly(tree).names).toEqual(['a']);
    expect(readFileSync(tree.path('cache/skills.idx'), 'utf8')).toBe(foreign);
    expect(readdirSync(tree.path('cache'))).toEqual(['skills.idx']);
  });
});
