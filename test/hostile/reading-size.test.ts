import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { discoverHostile, othersIn } from '../support/hostile-discovery.ts';
import { createSkillTree, type SkillTree } from '../support/skill-tree.ts';

const MEGABYTE = 1_048_576;

/** A file of 50 MB that begins with `head`; the rest is a hole, which reads as NUL bytes. */
function writeHuge(tree: SkillTree, path: string, head: string): void {
  tree.write({ [path]: '' });
  const descriptor = openSync(tree.path(path), 'w');
  writeSync(descriptor, head);
  ftruncateSync(descriptor, 50 * MEGABYTE);
  closeSync(descriptor);
}

describe('a SKILL.md of 50 MB', () => {
  const memory = (): number => {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };

  it.each([
    [
      'with frontmatter is listed and said to be too large',
      '---\nname: huge\ndescription: Huge.\n---\nText.\n',
      'file-oversized',
      ['huge'],
    ],
    ['of NUL bytes is refused', '', 'text-binary', []],
    ['of NUL bytes after an opening line is refused', '---\nname: huge\n', 'frontmatter-oversized', []],
    [
      'without frontmatter is described by its first lines',
      `${'A line of text.\n'.repeat(300)}\n`,
      'file-oversized',
      ['huge'],
    ],
  ])('%s, without being read', async (_what, head, code, listed) => {
    const tree = createSkillTree();
    writeHuge(tree, 'skills/huge/SKILL.md', head);
    const before = memory();
    const result = await discoverHostile(tree);
    expect(memory() - before).toBeLessThan(20 * MEGABYTE);
    expect(othersIn(result)).toEqual(listed);
    expect(result.of(code)).toMatchObject([{ path: tree.path('skills/huge/SKILL.md') }]);
    await expect(result.manager.loadSkill('huge')).rejects.toMatchObject({
      code: listed.length > 0 ? 'FileTooLarge' : 'SkillRefused',
    });
    expect(memory() - before).toBeLessThan(20 * MEGABYTE);
  });

  it('is not read, and neither are manifests and bundled files of that size', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': '---\nname: one\ndescription: One.\n---\n' });
    writeHuge(tree, 'skills/one/tools.json', '[]');
    writeHuge(tree, 'skills/one/data.txt', 'x');
    writeHuge(tree, 'kit/.claude-plugin/plugin.json', '{}');
    const before = memory();
    const result = await discoverHostile(tree, { pluginDirs: ['kit'] });
    expect(result.of('tools-invalid')).toHaveLength(1);
    expect(result.of('plugin-invalid')).toHaveLength(1);
    await expect(result.manager.readFile('one', 'data.txt')).rejects.toMatchObject({ code: 'FileTooLarge' });
    expect(memory() - before).toBeLessThan(20 * MEGABYTE);
  });
});

/**
 * Texts of at most 256 KB for which a careless reader needs minutes. A separate process reads them, so that it can be
 * ended. A reader with linear work needs milliseconds, and is never near the limit even on a slow machine.
 */
describe('a text designed to take forever', () => {
  const LIMIT_MS = 15_000;
  const index = new URL('../../packages/skillwright/src/index.ts', import.meta.url).href;
  const keys = (count: number, value: (index: number) => string): string =>
    Array.from({ length: count }, (_, number) => value(number)).join('');

  it.each<[string, string]>([
    ['a heading with 60,000 spaces in it', `---\nname: x\n---\n${'\n'.repeat(5_000)}# a${' '.repeat(60_000)}b\n`],
    [
      'a line of frontmatter with 200,000 spaces in it',
      `---\nname: Bad Name\nversion: bad\nx: |\n  a${' '.repeat(200_000)}b\n---\n`,
    ],
    ['a key before 200,000 spaces', `---\nname: Bad Name\ndescription: d\nk${' '.repeat(200_000)}x\n---\n`],
    ['25,000 keys', `---\nname: x\ndescription: d\n${keys(25_000, (number) => `k${number}: v\n`)}---\n`],
    [
      '20,000 values that need quotes',
      `---\nname: x\ndescription: d\n${keys(20_000, (number) => `k${number}: a: b\n`)}---\n`,
    ],
    [
      '20,000 values of the wrong kind',
      `---\nname: x\ndescription: d\n${keys(20_000, (number) => `k${number}: [${number}\n`)}---\n`,
    ],
    ['20,000 times one key', `---\nname: x\ndescription: d\n${keys(20_000, () => 'version: no\n')}---\n`],
    [
      '12,000 spellings of one key',
      `---\nname: x\ndescription: d\n${keys(12_000, (number) => `when${'_'.repeat(number % 7)}to${'-'.repeat(Math.floor(number / 7) % 7)}use: x${number}\n`)}---\n`,
    ],
    ['40,000 tools', `---\nname: x\ndescription: d\nallowed-tools: ${'B(, '.repeat(40_000)}\n---\n`],
    ['100,000 opening parentheses', `---\nname: x\ndescription: d\nallowed-tools: "${'('.repeat(100_000)}"\n---\n`],
    ['13,000 opened comments', `---\nname: x\n---\n${'<!-- '.repeat(13_000)}\n`],
    ['50,000 lines of dashes', `---\nname: x\ndescription: d\n${'---x\n'.repeat(50_000)}---\n`],
    ['a quote that is never closed', `---\nname: x\ndescription: "${"a'b ".repeat(60_000)}\n---\n`],
  ])('is read quickly: %s', (_what, text) => {
    const tree = createSkillTree({ 'skills/x/SKILL.md': text });
    const script = `const { SkillManager } = await import(${JSON.stringify(index)});
      for (const strict of [false, true]) {
        const { skills, diagnostics } = new SkillManager({ cwd: ${JSON.stringify(tree.root)}, strict }).discoverSync();
        console.log(JSON.stringify({ skills: skills.length, diagnostics: diagnostics.length }));
      }`;
    const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    expect({ stderr, signal, stdout }).toMatchObject({ stderr: '', signal: null });
    // A hostile file must not flood the reader of the findings either.
    for (const line of stdout.trim().split('\n'))
      expect((JSON.parse(line) as { diagnostics: number }).diagnostics).toBeLessThan(1_000);
  });
});
