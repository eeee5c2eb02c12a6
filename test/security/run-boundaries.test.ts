import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { SkillManager, type ApprovalRequest, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { createFakeRemoteSandbox } from '../support/fake-remote-sandbox.ts';
import { createSkillTree, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';

/** Findings of a security review, and tests that keep them fixed. */
const SKILL = '---\nname: tester\ndescription: Runs things.\n---\nText.\n';
const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: boundaries of untrusted runs, because bubblewrap is not installed.');

const staging = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', staging]);
  rmSync(staging, { recursive: true, force: true });
});

function open(
  files: TreeFiles,
  options: SkillManagerOptions = {},
): { manager: SkillManager; tree: SkillTree; root: string } {
  const tree = createSkillTree({ 'skills/tester/SKILL.md': SKILL, ...files });
  const root = realpathSync(tree.root);
  return {
    manager: new SkillManager({ cwd: root, projectSkillDir: 'skills', stagingDir: staging, ...options }),
    tree,
    root,
  };
}

describe.skipIf(!hasBubblewrap)('copies of untrusted skills', () => {
  it('contain nothing from outside, however fast a directory is exchanged for a link', async () => {
    const { tree, root } = open({
      'skills/tester/zz/key': 'own',
      'skills/tester/go.sh': 'cat zz/key || true',
      'secret/key': 'HOST',
    });
    const swap = `
      const fs = require('node:fs'); const [root] = process.argv.slice(1);
      const dir = root + '/skills/tester/zz'; const aside = root + '/aside'; const link = root + '/link';
      fs.symlinkSync(root + '/secret', link);
      for (;;) { try { fs.renameSync(dir, aside); fs.renameSync(link, dir); fs.renameSync(dir, link); fs.renameSync(aside, dir); } catch {} }`;
    const swapper = spawn(process.execPath, ['-e', swap, root]);
    try {
      for (let round = 0; round < 40; round += 1) {
        tree.write({ 'skills/tester/round.txt': String(round) });
        const manager = new SkillManager({
          cwd: root,
          projectSkillDir: 'skills',
          stagingDir: staging,
          trust: 'untrusted',
        });
        const { stdout } = await manager.runScript('tester', 'go.sh').catch(() => ({ stdout: '' }));
        expect(stdout).not.toContain('HOST');
      }
    } finally {
      swapper.kill('SIGKILL');
    }
    const copies = readdirSync(staging).map((copy) => join(staging, copy, 'zz/key'));
    for (const key of copies.filter((path) => existsSync(path))) expect(readFileSync(key, 'utf8')).toBe('own');
  });

  it('are not stored where others could change them', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'skillwright-shared-'));
    chmodSync(shared, 0o777);
    const { manager } = open({ 'skills/tester/go.sh': 'echo ran' }, { trust: 'untrusted', stagingDir: shared });
    const result = await manager.runScript('tester', 'go.sh');
    expect(result).toMatchObject({ success: false, code: 'ExecutionFailed' });
    expect(result.error).toContain('other users can write to it');
    rmSync(shared, { recursive: true });
  });

  it('are made again when somebody deletes them', async () => {
    const own = mkdtempSync(join(tmpdir(), 'skillwright-own-'));
    const { manager } = open({ 'skills/tester/go.sh': 'echo ran' }, { trust: 'untrusted', stagingDir: own });
    expect(await manager.runScript('tester', 'go.sh')).toMatchObject({ stdout: 'ran\n' });
    for (const copy of readdirSync(own)) {
      spawnSync('chmod', ['-R', 'u+w', join(own, copy)]);
      rmSync(join(own, copy), { recursive: true });
    }
    expect(await manager.runScript('tester', 'go.sh')).toMatchObject({ stdout: 'ran\n' });
    spawnSync('chmod', ['-R', 'u+w', own]);
    rmSync(own, { recursive: true });
  });

  it('are refused before they are read when a file is too large', async () => {
    const { manager, root } = open({ 'skills/tester/go.sh': 'echo ran' }, { trust: 'untrusted' });
    spawnSync('truncate', ['-s', '1900M', join(root, 'skills/tester/sparse')]);
    const before = process.memoryUsage().rss;
    const result = await manager.runScript('tester', 'go.sh');
    expect(result.error).toContain('is too large to copy into a sandbox');
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  it('report a file name that is not UTF-8', async () => {
    const { manager, root } = open({ 'skills/tester/go.sh': 'echo ran' }, { trust: 'untrusted' });
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'skills/tester/')), Buffer.from([0x62, 0xff, 0xfe])]), 'x');
    expect((await manager.runScript('tester', 'go.sh')).error).toContain('is not valid UTF-8');
  });
});

describe('settings for one skill', () => {
  const files = {
    'skills/release/SKILL.md': SKILL.replace('tester', 'release'),
    'skills/release/show.sh': 'echo "${NPM_TOKEN:+trusted has it}"',
    'other/release/SKILL.md': SKILL.replace('tester', 'release'),
    'other/release/show.sh': 'echo "${NPM_TOKEN:+stranger has it}"',
  };

  it('do not apply to another skill that takes its name', async () => {
    const { manager } = open(files, {
      anthropicConfigDir: 'other',
      secrets: { release: { NPM_TOKEN: 'npm_0123456789' } },
      policy: { execution: { release: 'auto', '*': 'manual' } },
    });
    const model = { caller: 'model' } as const;
    expect(await manager.runScript('release', 'show.sh', [], model)).toMatchObject({ stdout: 'trusted has it\n' });
    expect(await manager.runScript('anthropic/release', 'show.sh', [], model)).toMatchObject({
      code: 'ApprovalRequired',
    });
    expect(await manager.runScript('anthropic/release', 'show.sh')).toMatchObject({ stdout: '\n' });
  });

  it('apply under every name of the skill, and an unknown name is reported', async () => {
    const { logger, records } = createRecordingLogger();
    const named = {
      'skills/my-skill/SKILL.md': SKILL.replace('tester', 'my-skill'),
      'skills/my-skill/go.sh': 'echo ran',
    };
    const run = (execution: Record<string, 'manual'>): Promise<{ code?: string }> =>
      open(named, { policy: { execution }, logger }).manager.runScript('my-skill', 'go.sh', [], { caller: 'model' });
    for (const name of ['my-skill', 'my_skill', 'project/my-skill'])
      expect(await run({ [name]: 'manual' })).toMatchObject({ code: 'ApprovalRequired' });
    await run({ 'my-skil': 'manual' });
    expect(records.map(({ message }) => message)).toContain(
      "Option 'policy.execution' names skills that do not exist: my-skil.",
    );
  });
});

describe('an approval', () => {
  const model = { caller: 'model' } as const;

  it('covers the content that runs: a trusted skill that changes meanwhile does not run', async () => {
    const { manager, tree } = open(
      { 'skills/tester/go.sh': 'echo benign' },
      {
        policy: { execution: 'hybrid' },
        approve: () => {
          tree.write({ 'skills/tester/go.sh': 'echo EVIL' });
          return 'always';
        },
      },
    );
    const result = await manager.runScript('tester', 'go.sh', [], model);
    expect(result).toMatchObject({ code: 'ApprovalDenied', stdout: '' });
    expect(result.error).toContain('changed during the approval');
  });

  it.skipIf(!hasBubblewrap)('is requested for the copy that will run', async () => {
    const asked: ApprovalRequest[] = [];
    const { manager, tree } = open(
      { 'skills/tester/go.sh': 'echo first' },
      {
        trust: 'untrusted',
        approve: (request) => {
          asked.push(request);
          tree.write({ 'skills/tester/go.sh': 'echo second' });
          return 'once';
        },
      },
    );
    for (let run = 0; run < 2; run += 1)
      expect(await manager.runScript('tester', 'go.sh', [], model)).toMatchObject({ stdout: 'first\n' });
    expect(new Set(asked.map(({ digest }) => digest)).size).toBe(1);
  });

  it('for a tool does not cover a script with its name, or another tenant', async () => {
    const asked: string[] = [];
    const { manager } = open(
      {
        'skills/tester/deploy': '#!/bin/sh\necho script',
        'skills/tester/tools.json': JSON.stringify([{ name: 'deploy', description: 'Deploys.', script: 'deploy' }]),
      },
      {
        policy: { execution: 'hybrid' },
        approve: ({ kind }) => {
          asked.push(kind);
          return 'conversation';
        },
      },
    );
    const talk = { ...model, session: 'talk' };
    await manager.callTool('deploy', {}, talk);
    await manager.callTool('deploy', {}, talk);
    await manager.runScript('tester', 'deploy', [], talk);
    await manager.callTool('deploy', {}, { ...talk, tenant: 'other' });
    expect(asked).toEqual(['tool', 'script', 'tool']);
  });

  it('is a denial, with an explanation, if the answer is invalid', async () => {
    const { logger, records } = createRecordingLogger();
    const approve = (): never => true as never;
    const { manager } = open(
      { 'skills/tester/go.sh': 'echo ran' },
      { policy: { execution: 'hybrid' }, approve, logger },
    );
    expect(await manager.runScript('tester', 'go.sh', [], model)).toMatchObject({ code: 'ApprovalDenied' });
    expect(records.some(({ message }) => message.includes("'approve' returned true, which counts as a denial"))).toBe(
      true,
    );
  });
});

describe('a run that ends by itself', () => {
  it('leaves no process behind, inside its group or outside', async () => {
    const mark = randomUUID();
    const { manager } = open({
      'skills/tester/go.sh': `sleep 61.1 </dev/null >/dev/null 2>&1 &\nsetsid sh -c 'exec sleep 61.2' mark-${mark} </dev/null >/dev/null 2>&1 &\necho hi`,
    });
    const { executionId, stdout } = await manager.runScript('tester', 'go.sh');
    expect(stdout).toBe('hi\n');
    const left = (): string[] =>
      readdirSync('/proc').filter((pid) => {
        if (!/^\d+$/.test(pid)) return false;
        try {
          return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(executionId);
        } catch {
          return false;
        }
      });
    for (let look = 0; look < 100 && left().length > 0; look += 1) await pause(50);
    expect(left()).toEqual([]);
  });
});

describe('a tool without a script', () => {
  const files = {
    'skills/tester/SKILL.md': SKILL.replace('---\nText', 'mode: off\n---\nText'),
    'skills/tester/tools.json': JSON.stringify([{ name: 'stub', description: 'Answers with instructions.' }]),
  };

  it('returns nothing when its skill is off, or when the call cannot be recorded', async () => {
    expect(await open(files).manager.callTool('stub')).toMatchObject({
      isError: true,
      execution: { code: 'Disabled' },
    });
    const recorder = { begin: () => Promise.reject(new TypeError('full')), end: () => {} };
    const { manager } = open({ ...files, 'skills/tester/SKILL.md': SKILL }, { recorder });
    expect(await manager.callTool('stub')).toMatchObject({ isError: true, execution: { code: 'ExecutionFailed' } });
  });
});

describe('a secret', () => {
  const tool = (script: string, code: string): TreeFiles => ({
    'skills/tester/tools.json': JSON.stringify([{ name: 'leak', description: 'Leaks.', script }]),
    [`skills/tester/${script}`]: code,
  });

  it.each([
    [
      't.mjs',
      `export default () => { throw new Error('failed: ' + 'x'.repeat(7970) + ' key=' + process.env.API_TOKEN); };`,
    ],
    [
      't.py',
      `import os\ndef handler(args):\n    raise ValueError('failed: ' + 'x' * 7970 + ' key=' + os.environ['API_TOKEN'])\n`,
    ],
    ['t.py', `import os\ndef handler(args):\n    raise ValueError('y' * 3 + os.environ['API_TOKEN'] + 'x' * 15990)\n`],
  ])('is not partly shown when an error of %s is truncated', async (script, code) => {
    const { manager } = open(tool(script, code), {
      secrets: { tester: { API_TOKEN: 'SECRET-abcdefghijk-0123456789' } },
    });
    const answer = await manager.callTool('leak');
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer)).not.toMatch(/SECRET-a|3456789/);
    await manager.close();
  });
});

describe('a sandbox of the host', () => {
  it('gets no untrusted skill if it promises nothing', async () => {
    const remote = createFakeRemoteSandbox();
    const { manager } = open(
      { 'skills/tester/go.sh': 'echo ran' },
      { trust: 'untrusted', sandbox: { min: 'remote' }, sandboxes: [remote] },
    );
    const result = await manager.runScript('tester', 'go.sh');
    expect(result).toMatchObject({ code: 'RequirementsMissing', stdout: '' });
    expect(result.error).toContain('remote does not promise hidesFiles');
    expect(remote.launches).toEqual([]);
    remote.remove();
  });

  it('replaces the built-in sandbox of its tier', async () => {
    const remote = createFakeRemoteSandbox();
    const own = { ...remote, tier: 'process' } as const;
    const { manager } = open({ 'skills/tester/go.sh': 'echo ran' }, { sandboxes: [own] });
    expect(await manager.runScript('tester', 'go.sh')).toMatchObject({ stdout: 'ran\n' });
    expect(remote.launches).toHaveLength(1);
    remote.remove();
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('boom');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('boom'))],
    ['returns nonsense', () => true],
    ['returns nothing', () => undefined],
    ['promises nothing at all', () => ({ available: true })],
  ])('is unavailable if its probe %s', async (_what, probe) => {
    const own = { tier: 'container', probe, launch: () => Promise.reject(new TypeError('never')) } as never;
    const { manager } = open(
      { 'skills/tester/go.sh': 'echo ran' },
      { sandbox: { min: 'container' }, sandboxes: [own] },
    );
    expect(await manager.runScript('tester', 'go.sh')).toMatchObject({ code: 'RequirementsMissing' });
  });

  it('is an error if its tier is unknown', () => {
    const own = { tier: 'vm', probe: () => true, launch: () => true } as never;
    expect(() => open({}, { sandboxes: [own] })).toThrow("Option 'sandboxes[].tier' must be one of");
  });
});
