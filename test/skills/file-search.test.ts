import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSkillTree, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';
import { runScript, type ScriptResult } from './skill-script.ts';

const IS_WINDOWS = process.platform === 'win32';

function search(tree: SkillTree, ...args: string[]): ScriptResult {
  return runScript('file-search/scripts/search.mjs', args, tree.root);
}

const PROJECT: TreeFiles = {
  'README.md': '# Demo\n\nTODO: write this\n',
  'src/app.ts': 'const a = 1;\r\n// todo later\r\nrun(a); // TODO now\r\n',
  'src/deep/er/util.ts': 'export const x = f(1);\n',
  'node_modules/lib/index.js': '// TODO of others\n',
  '.git/config': 'TODO\n',
};

describe('file-search', () => {
  it('prints every matching line with its file and number', () => {
    expect(search(createSkillTree(PROJECT), String.raw`\bTODO\b`)).toEqual({
      status: 0,
      stdout: [
        'README.md:3: TODO: write this',
        'src/app.ts:3: run(a); // TODO now',
        '2 matches in 2 files, 3 files searched.',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it.each([
    [
      ['--ignore-case', 'todo', 'src'],
      ['src/app.ts:2: // todo later', 'src/app.ts:3: run(a); // TODO now'],
    ],
    [['--ext', 'md', 'TODO'], ['README.md:3: TODO: write this']],
    [['--ext', '.ts, *.JS', 'const', './src/deep'], ['src/deep/er/util.ts:1: export const x = f(1);']],
    [['--fixed', 'f(1)', '.'], ['src/deep/er/util.ts:1: export const x = f(1);']],
    [
      ['--names', 'const'],
      ['src/app.ts', 'src/deep/er/util.ts'],
    ],
    [
      ['--all', '--names', 'TODO'],
      ['.git/config', 'README.md', 'node_modules/lib/index.js', 'src/app.ts'],
    ],
    [['--', '-nothing'], []],
  ])('accepts %j', (args, lines) => {
    const { status, stdout, stderr } = search(createSkillTree(PROJECT), ...args);
    expect({ status, stderr, lines: stdout.trimEnd().split('\n').slice(0, -1) }).toEqual({
      status: 0,
      stderr: '',
      lines,
    });
  });

  it('stops at a number of matches, and says that there are more', () => {
    const tree = createSkillTree({ 'a.txt': 'x\n'.repeat(50), 'b.txt': 'x\n' });
    expect(search(tree, '--max', '3', 'x').stdout).toMatch(/\n3 matches in 1 file, .* Stopped early/);
    expect(search(tree, '--max', '51', 'x').stdout).toContain('51 matches in 2 files, 2 files searched.\n');
    const json = JSON.parse(search(tree, '--json', '--max', '1', 'x').stdout) as unknown;
    expect(json).toEqual({
      matches: [{ path: 'a.txt', line: 1, text: 'x' }],
      files: 1,
      searched: 1,
      skipped: {},
      truncated: true,
    });
  });

  it('skips binary and too large files, and shows the matching part of a long line', () => {
    const tree = createSkillTree({
      'binary.bin': Uint8Array.of(0x78, 0, 0x78),
      'large.txt': 'x'.repeat(5_000_001),
      'line.txt': `${'a'.repeat(100_000)}needle${'b'.repeat(100_000)}`,
      'latin1.txt': Uint8Array.of(0xe9, 0x20, 0x78, 0x0a),
    });
    const { status, stdout } = search(tree, 'needle|x');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^line\.txt:1: …a{80}needleb+…$/m);
    expect(stdout).toMatch(/^latin1\.txt:1: \uFFFD x$/m);
    expect(stdout).toContain('2 files searched, skipped: 1 binary, 1 too large.');
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThan(400);
  });

  it.skipIf(IS_WINDOWS)('reads no pipes, follows no links, and skips unreadable files', () => {
    const tree = createSkillTree({
      'outside/secret.txt': 'needle',
      'root/a.txt': 'needle',
      'root/closed/b.txt': 'needle',
    });
    tree.link('root/link.txt', '../outside/secret.txt');
    tree.link('root/circle', '.');
    spawnSync('mkfifo', [tree.path('root/pipe')]);
    chmodSync(tree.path('root/closed'), 0);
    const { status, stdout } = search(tree, 'needle', 'root');
    chmodSync(tree.path('root/closed'), 0o755);
    expect(status).toBe(0);
    const isRoot = process.getuid?.() === 0;
    expect(stdout.split('\n')).toEqual([
      'root/a.txt:1: needle',
      ...(isRoot ? ['root/closed/b.txt:1: needle'] : []),
      isRoot ? '2 matches in 2 files, 2 files searched.' : '1 match in 1 file, 1 file searched, skipped: 1 unreadable.',
      '',
    ]);
  });

  it('gives up on a pattern that would take forever, and continues', () => {
    const tree = createSkillTree({ 'a.txt': `${'a'.repeat(60)}!`, 'b.txt': 'aaa' });
    const { status, stdout } = search(tree, '^(a+)+$');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'b.txt:1: aaa\n1 match in 1 file, 1 file searched, skipped: 1 pattern too slow.\n',
    });
  });

  it.each([
    [[], /expected a pattern/],
    [['a', 'b', 'c'], /got 3 arguments/],
    [[''], /the pattern is empty/],
    [['('], /Unterminated group.*--fixed/],
    [['x', 'missing'], /cannot read missing: ENOENT/],
    [['x', 'README.md'], /README\.md is not a directory/],
    [['--max', '0', 'x'], /--max needs/],
    [['--max', '1e3', 'x'], /--max needs/],
    [['--ext', ',', 'x'], /--ext needs/],
    [['--frobnicate', 'x'], /frobnicate/],
  ])('rejects %j', (args, message) => {
    const { status, stdout, stderr } = search(createSkillTree(PROJECT), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });
});
