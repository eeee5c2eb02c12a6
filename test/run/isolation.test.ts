import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SkillManager, createMemorySource, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { createFakeRemoteSandbox } from '../support/fake-remote-sandbox.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';

const SKILL = '---\nname: tester\ndescription: Runs things.\n---\nText.\n';
const TOOLS = JSON.stringify([
  { name: 'js_tool', description: 'Answers.', script: 'tool.mjs' },
  { name: 'py_tool', description: 'Answers.', script: 'tool.py' },
]);
const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: runs of untrusted skills, because bubblewrap is not installed.');

const staging = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', staging]);
  rmSync(staging, { recursive: true, force: true });
});

function open(files: TreeFiles = {}, options: SkillManagerOptions = {}): { manager: SkillManager; root: string } {
  const tree = createSkillTree({
    'skills/tester/SKILL.md': SKILL,
    'skills/tester/tools.json': TOOLS,
    'skills/tester/tool.mjs': 'export default () => process.pid;',
    'skills/tester/tool.py':
      'import os\ndef handler(args):\n    return {"pid": os.getpid(), "dir": args["__workDir"]}\n',
    'skills/tester/say.sh': 'echo said; pwd; echo "$SKILL_DIR"',
    ...files,
  });
  return {
    manager: new SkillManager({ cwd: tree.root, projectSkillDir: 'skills', stagingDir: staging, ...options }),
    root: realpathSync(tree.root),
  };
}

describe('isolation', () => {
  it('never falls back to a weaker tier than the host demands', async () => {
    proves('S1.11.sandbox');
    for (const options of [
      { sandbox: 'remote' },
      { sandbox: { min: 'remote' } },
      { policy: { minIsolation: 'remote' } },
      { sandbox: { tier: 'process', min: 'remote' } },
      { sandbox: { min: 'process' }, policy: { minIsolation: 'remote' } },
    ] satisfies SkillManagerOptions[]) {
      const { manager } = open({}, options);
      const result = await manager.runScript('tester', 'say.sh');
      expect(result).toMatchObject({ success: false, code: 'RequirementsMissing', stdout: '', exitCode: -1 });
      expect(result.error).toContain('The host requires more isolation than is available here');
      expect(await manager.callTool('js_tool')).toMatchObject({ isError: true });
    }
  });

  it('never runs an untrusted skill in a weak tier, whatever the option says', async () => {
    proves('S1.11.trust', 'S1.11.sandbox');
    const { manager } = open({}, { trust: 'untrusted', sandbox: 'process', policy: { minIsolation: 'remote' } });
    const result = await manager.runScript('tester', 'say.sh');
    expect(result).toMatchObject({ code: 'RequirementsMissing' });
    expect(result.error).toContain("Skill 'tester' is not trusted and needs more isolation");
  });

  it('runs JavaScript handlers in this process on request, and everything else outside', async () => {
    const { manager } = open({}, { sandbox: 'inprocess' });
    expect((await manager.callTool('js_tool')).value).toBe(process.pid);
    expect((await manager.callTool('py_tool')).value).not.toMatchObject({ pid: process.pid });
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ success: true });
    await manager.close();
  });

  it('uses a tier that the host provides', async () => {
    const remote = createFakeRemoteSandbox();
    const { manager, root } = open({}, { sandbox: { min: 'remote' }, sandboxes: [remote] });
    const result = await manager.runScript('tester', 'say.sh');
    expect(result.success).toBe(true);
    expect(result.stdout).not.toContain(root);
    expect(result.stdout).toContain('skillwright-remote-');
    expect(remote.launches).toMatchObject([{ skillDir: join(root, 'skills/tester'), network: false }]);
    remote.remove();
  });
});

describe.skipIf(!hasBubblewrap)('an untrusted skill', () => {
  it('runs in bubblewrap, sees its own directory and cannot change it', async () => {
    proves('S1.11.least-privilege', 'S1.11.sandbox');
    const { manager, root } = open(
      {
        'skills/tester/try.sh': 'echo x > new.txt || echo unchanged; ls ../.. ; cat ../../secret.txt || echo hidden',
        'secret.txt': 's3cret',
      },
      { trust: 'untrusted' },
    );
    expect((await manager.runScript('tester', 'say.sh')).stdout).toBe(
      `said\n${root}/skills/tester\n${root}/skills/tester\n`,
    );
    expect((await manager.runScript('tester', 'try.sh')).stdout).toBe('unchanged\nskills\nhidden\n');
    expect(existsSync(join(root, 'skills/tester/new.txt'))).toBe(false);
  });

  it('runs as it was at its first run, until the next discovery', async () => {
    const { manager, root } = open({}, { trust: 'untrusted' });
    expect((await manager.runScript('tester', 'say.sh')).stdout).toContain('said');
    writeFileSync(join(root, 'skills/tester/say.sh'), 'echo swapped');
    expect((await manager.runScript('tester', 'say.sh')).stdout).toContain('said');
    await manager.discover();
    expect((await manager.runScript('tester', 'say.sh')).stdout).toBe('swapped\n');
  });

  it('has its handlers called in warm workers in bubblewrap, too', async () => {
    const counting = { 'skills/tester/tool.mjs': 'let calls = 0; export default () => (calls += 1);' };
    const { manager } = open(counting, { trust: 'untrusted' });
    for (const calls of [1, 2, 3]) expect((await manager.callTool('js_tool')).value).toBe(calls);
    expect((await manager.callTool('py_tool')).isError).toBe(false);
    await manager.close();
  });

  it('gets a basic environment, plus granted variables that it declares', async () => {
    proves('S1.11.least-privilege', 'S1.6.secrets.env');
    const { manager } = open(
      {
        'skills/tester/SKILL.md': SKILL.replace('---\nText', 'requires:\n  env: [DECLARED]\n---\nText'),
        'skills/tester/env.sh': 'env | sort',
      },
      { trust: 'untrusted', env: { DECLARED: 'yes', UNDECLARED: 'no', PATH: '/usr/bin:/bin' } },
    );
    const { stdout } = await manager.runScript('tester', 'env.sh');
    expect(stdout).toContain('DECLARED=yes');
    expect(stdout).not.toContain('UNDECLARED');
  });

  it.each([
    ['none', { read: false, write: 'private' }],
    ['read', { read: true, write: false }],
    ['write', { read: true, write: true }],
  ] as const)('sees only the granted part of its working directory: %s', async (workspace, expected) => {
    proves('S1.6.restrict.workspace');
    const tool = `import { existsSync, writeFileSync } from 'node:fs';
      const attempt = (path) => { try { writeFileSync(path, 'x'); return true; } catch { return false; } }; export default ({ __workDir: dir }) => ({ read: existsSync(dir + '/data.txt'), write: attempt(dir + '/made.txt'), above: attempt(dir + '/../above.txt'), skill: attempt(import.meta.dirname + '/own.txt') });`;
    const { manager, root } = open(
      { 'skills/tester/tool.mjs': tool, 'work/data.txt': 'data' },
      { trust: 'untrusted', sandbox: { workspace } },
    );
    chmodSync(join(root, 'work'), 0o777);
    const { value } = await manager.callTool('js_tool', {}, { cwd: join(root, 'work') });
    await manager.close();
    expect(value).toEqual({ read: expected.read, write: expected.write !== false, above: false, skill: false });
    expect(existsSync(join(root, 'work/made.txt'))).toBe(expected.write === true);
    expect(existsSync(join(root, 'above.txt'))).toBe(false);
  });

  it('gets a new copy when its copy was changed', async () => {
    const { manager } = open({ 'skills/tester/say.sh': 'echo genuine' }, { trust: 'untrusted' });
    const before = new Set(readdirSync(staging));
    expect((await manager.runScript('tester', 'say.sh')).stdout).toBe('genuine\n');
    const copy = readdirSync(staging).find((name) => !before.has(name)) ?? '';
    spawnSync('chmod', ['-R', 'u+w', join(staging, copy)]);
    writeFileSync(join(staging, copy, 'say.sh'), 'echo forged');
    await manager.discover();
    expect((await manager.runScript('tester', 'say.sh')).stdout).toBe('genuine\n');
  });

  it('runs many times concurrently from one copy', async () => {
    const { manager } = open({ 'skills/tester/say.sh': 'echo together' }, { trust: 'untrusted' });
    const results = await Promise.all(Array.from({ length: 20 }, () => manager.runScript('tester', 'say.sh')));
    expect(new Set(results.map(({ stdout }) => stdout))).toEqual(new Set(['together\n']));
  });
});

describe('warm workers', () => {
  const counting = { 'skills/tester/tool.mjs': 'let calls = 0; export default () => (calls += 1);' };

  it('are never shared between tenants', async () => {
    proves('S1.6.restrict.no-global-state');
    const { manager } = open(counting);
    const call = async (tenant?: string): Promise<unknown> => (await manager.callTool('js_tool', {}, { tenant })).value;
    expect([await call('a'), await call('b'), await call('a'), await call()]).toEqual([1, 1, 2, 1]);
    await manager.close();
  });

  it('use the current version of the handler', async () => {
    const { manager, root } = open(counting);
    expect((await manager.callTool('js_tool')).value).toBe(1);
    writeFileSync(join(root, 'skills/tester/tool.mjs'), `export { default } from './other.mjs';`);
    writeFileSync(join(root, 'skills/tester/other.mjs'), `export default () => 'other';`);
    expect((await manager.callTool('js_tool')).value).toBe('other');
    // The handler's imports are checked again after a tenth of a second.
    writeFileSync(join(root, 'skills/tester/other.mjs'), `export default () => 'edited';`);
    await expect.poll(async () => (await manager.callTool('js_tool')).value, { timeout: 5_000 }).toBe('edited');
    await manager.close();
  });

  it('are cancelled and gone when the manager is closed', async () => {
    const { manager } = open({
      'skills/tester/tool.mjs': 'export default () => new Promise((r) => setTimeout(r, 60_000));',
    });
    const calls = [manager.callTool('js_tool'), manager.callTool('js_tool')];
    const script = manager.runScript('tester', 'say.sh');
    await manager.close();
    for (const { execution } of await Promise.all(calls)) expect(execution.code).toBe('Cancelled');
    expect((await script).code).toBe('Cancelled');
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ code: 'Cancelled' });
  });
});

describe('a skill in memory', () => {
  it('runs from a copy', async () => {
    const files = {
      'SKILL.md': SKILL,
      'scripts/say.mjs': `import { word } from '../lib/word.mjs'; console.log(word);`,
      'lib/word.mjs': `export const word = 'remembered';`,
      'tools.json': JSON.stringify([{ name: 'mem_tool', description: 'Answers.', script: 'lib/tool.mjs' }]),
      'lib/tool.mjs': `import { word } from './word.mjs'; export default () => word;`,
    };
    const sources = [createMemorySource([{ directory: 'tester', files }])];
    const { catalog, runner } = createRuntime({ sources, stagingDir: staging });
    const snapshot = catalog.refreshSync();
    const record = snapshot.find('tester');
    if (record === undefined) expect.unreachable();
    expect(await runner.runScript(record, 'scripts/say.mjs', [])).toMatchObject({ stdout: 'remembered\n' });
    const [tool] = record.metadata.tools;
    if (tool === undefined) expect.unreachable();
    expect(await runner.callTool(record, tool, {})).toMatchObject({ value: 'remembered' });
    await runner.close();
  });
});
