import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSkillsHost } from '../../packages/skillwright/src/host.ts';
import {
  SkillManager,
  createMemorySource,
  createStandardSources,
  type SkillManagerOptions,
} from '../../packages/skillwright/src/index.ts';
import { createFakeRemoteSandbox } from '../support/fake-remote-sandbox.ts';
import { createSkillTree, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const head = (name: string, more = ''): string => `---\nname: ${name}\ndescription: Does things.\n${more}---\nText.\n`;

const SKILLS: TreeFiles = {
  'skills/prose/SKILL.md': head('prose'),
  'skills/runner/SKILL.md': head('runner'),
  'skills/runner/scripts/go.mjs': 'console.log(1);',
};

/** No bubblewrap, no container engine, and no interpreter but Node. */
function withoutPrograms(tree: SkillTree): void {
  vi.stubEnv('PATH', tree.path('no-programs'));
}

function open(tree: SkillTree, options: SkillManagerOptions = {}): SkillManager {
  return new SkillManager({ projectSkillDir: tree.path('skills'), ...options });
}

describe('checkRun', () => {
  it('names the tier that a skill runs in, and reports nothing for a skill with nothing to run', async () => {
    const tree = createSkillTree(SKILLS);
    const manager = open(tree);
    expect(await manager.checkRun('runner')).toEqual({ runs: true, tier: 'process' });
    expect(await manager.checkRun('prose')).toBeUndefined();
    await expect(manager.checkRun('other')).rejects.toMatchObject({ code: 'SkillNotFound' });
  });

  it('says that an untrusted skill cannot run without a sandbox, and how to get one', async () => {
    const tree = createSkillTree(SKILLS);
    withoutPrograms(tree);
    const manager = open(tree, { trust: 'untrusted' });
    const check = await manager.checkRun('runner');
    expect(check).toMatchObject({ runs: false });
    expect(check).toHaveProperty('reason', expect.stringMatching(/^the skill is not trusted, .*[^.]$/));
    expect(check).toHaveProperty('remedy', expect.stringMatching(/^\S/));
    expect(await manager.checkRun('prose')).toBeUndefined();
    expect((await manager.runScript('runner', 'scripts/go.mjs')).code).toBe('RequirementsMissing');
  });

  it.runIf(process.platform === 'linux')('names bubblewrap as missing on Linux', async () => {
    const tree = createSkillTree(SKILLS);
    withoutPrograms(tree);
    expect(await open(tree, { trust: 'untrusted' }).checkRun('runner')).toEqual({
      runs: false,
      reason: 'the skill is not trusted, and no sandbox is available: bwrap is not on the PATH',
      remedy: 'Install bubblewrap, for example with `apt install bubblewrap`.',
    });
  });

  it('reports that the isolation demanded by the host is not available', async () => {
    const tree = createSkillTree(SKILLS);
    const manager = open(tree, { policy: { minIsolation: 'remote' } });
    const check = await manager.checkRun('runner');
    expect(check).toMatchObject({ runs: false });
    expect(check).toHaveProperty('reason', 'the host requires the tier remote, which is not available');
    const remote = createFakeRemoteSandbox();
    const other = open(tree, { policy: { minIsolation: 'remote' }, sandboxes: [remote] });
    expect(await other.checkRun('runner')).toEqual({ runs: true, tier: 'remote' });
    remote.remove();
  });

  it('names the missing program if no script of a skill has its interpreter', async () => {
    const tree = createSkillTree({
      'skills/ruby/SKILL.md': head('ruby'),
      'skills/ruby/scripts/a.rb': 'puts 1',
      'skills/ruby/scripts/b': '#!/usr/bin/env ruby\nputs 1',
      'skills/both/SKILL.md': head('both'),
      'skills/both/scripts/a.rb': 'puts 1',
      'skills/both/scripts/b.mjs': 'console.log(1)',
    });
    withoutPrograms(tree);
    const manager = open(tree);
    expect(await manager.checkRun('ruby')).toEqual({
      runs: false,
      reason: 'ruby was not found',
      remedy: 'Install ruby and make sure that it is on the PATH.',
    });
    expect(await manager.checkRun('both')).toEqual({ runs: true, tier: 'process' });
  });

  it('reports the missing requirements that a skill declares', async () => {
    const tree = createSkillTree({
      'skills/needy/SKILL.md': head('needy', 'requires:\n  bins: [no-such-program]\n'),
      'skills/needy/scripts/a.mjs': '',
    });
    expect(await open(tree).checkRun('needy')).toEqual({
      runs: false,
      reason: 'it needs the program no-such-program (not on PATH)',
      remedy: 'Install the missing programs.',
    });
  });

  it('checks the handlers of tools as well as scripts', async () => {
    const tree = createSkillTree({
      'skills/tool/SKILL.md': head('tool'),
      'skills/tool/tools.json': JSON.stringify([{ name: 'answer', description: 'Answers.', script: 'tool.mjs' }]),
      'skills/tool/tool.mjs': 'export default () => 1;',
    });
    expect(await open(tree, { sandbox: 'inprocess' }).checkRun('tool')).toEqual({ runs: true, tier: 'inprocess' });
    withoutPrograms(tree);
    expect(await open(tree, { trust: 'untrusted' }).checkRun('tool')).toMatchObject({ runs: false });
  });
});

describe('SkillsHost.checkRuns', () => {
  it('returns a check for every skill of the catalog, including those in memory', async () => {
    const tree = createSkillTree(SKILLS);
    withoutPrograms(tree);
    const kept = { directory: 'kept', files: { 'SKILL.md': head('kept'), 'scripts/go.mjs': 'console.log(1)' } };
    const host = await createSkillsHost({
      sources: [
        ...createStandardSources({ projectSkillDir: tree.path('skills') }, { trust: 'trusted' }),
        createMemorySource([kept], { trust: 'untrusted' }),
      ],
    });
    try {
      const reports = await host.checkRuns();
      expect(reports.map(({ skill, check }) => [skill.name, check?.runs])).toEqual([
        ['prose', undefined],
        ['runner', true],
        ['kept', false],
      ]);
    } finally {
      await host.close();
    }
  });
});
