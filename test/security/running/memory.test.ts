import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SkillManager } from '../../../packages/skillwright/src/index.ts';
import { createSkillTree } from '../../support/skill-tree.ts';

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: the memory of untrusted runs, because bubblewrap is not installed.');

const MEBIBYTE = 2 ** 20;
/** Six processes, none of which exceeds the limit by itself. */
const HOG = `
const { promisify } = await import('node:util');
const run = promisify((await import('node:child_process')).execFile);
const shell = 'kept=$(head -c 50000000 /dev/zero | tr "\\\\0" x); sleep 5; echo \${#kept}';
const kept = await Promise.all([1, 2, 3, 4, 5, 6].map(() => run('/bin/sh', ['-c', shell])));
`;
const LEAVE = `
  const { spawn } = require('node:child_process');
  let calls = 0;
  module.exports = ({ hogs }) => {
    const shell = 'kept=$(head -c 50000000 /dev/zero | tr "\\\\0" x); sleep 60';
    for (let count = 0; count < hogs; count += 1) spawn('/bin/sh', ['-c', shell], { stdio: 'ignore' }).unref();
    return (calls += 1);
  };
`;
const TOOLS = JSON.stringify([
  { name: 'hog', description: 'Takes memory.', parameters: { type: 'object' }, script: 'hog.mjs' },
  {
    name: 'leave',
    description: 'Leaves programs.',
    parameters: { type: 'object', properties: { hogs: { type: 'integer' } } },
    script: 'leave.cjs',
  },
  { name: 'fine', description: 'Takes little.', parameters: { type: 'object' }, script: 'fine.mjs' },
]);

function open(): SkillManager {
  const tree = createSkillTree({
    'skills/tester/SKILL.md': '---\nname: tester\ndescription: Runs things.\n---\nText.\n',
    'skills/tester/tools.json': TOOLS,
    'skills/tester/run.mjs': `${HOG}console.log(JSON.stringify(kept));`,
    'skills/tester/hog.mjs': `export default async () => {${HOG}return kept; };`,
    'skills/tester/leave.cjs': LEAVE,
    'skills/tester/fine.mjs': 'export default () => "fine";',
  });
  const manager = new SkillManager({
    cwd: tree.root,
    stagingDir: tree.path('staging'),
    trust: 'untrusted',
    sandbox: { limits: { memoryBytes: 160 * MEBIBYTE } },
  });
  onTestFinished(() => manager.close());
  return manager;
}

describe.skipIf(!hasBubblewrap)('an untrusted skill that exceeds its memory limit', () => {
  const sentence = expect.stringContaining("used more memory than 'sandbox.limits.memoryBytes'") as string;

  it('gets an error that says so if it is a script', async () => {
    const result = await open().runScript('tester', 'run.mjs');
    expect(result).toMatchObject({ success: false, code: 'ExecutionFailed', error: sentence, stdout: '' });
  });

  it('is ended if it is a process left by a handler, between two calls', async () => {
    const manager = open();
    expect(await manager.callTool('leave', { hogs: 6 })).toMatchObject({ value: 1 });
    // The tool counts the calls of its own worker.
    const count = async (): Promise<unknown> => (await manager.callTool('leave', { hogs: 0 })).value;
    expect(await count()).toBe(2);
    await expect.poll(count, { timeout: 15_000, interval: 200 }).toBe(1);
  });

  it('gets an error that says so if it is a handler, and its next call works', async () => {
    const manager = open();
    expect(await manager.callTool('hog', {})).toMatchObject({ isError: true, value: { error: sentence } });
    expect(await manager.callTool('fine', {})).toMatchObject({ isError: false, value: 'fine' });
  });
});
