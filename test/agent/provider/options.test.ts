import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSkillsProvider,
  type ApprovalAnswer,
  type Logger,
  type SkillsProvider,
  type SkillsProviderOptions,
} from '../../../packages/skillwright/src/index.ts';
import { forgetResults } from '../../../packages/skillwright/src/wire/index.ts';
import { createSkillTree, goodSkill } from '../../support/skill-tree.ts';

const FILES = {
  'skills/discord/SKILL.md': goodSkill('discord'),
  'skills/discord/say.sh': 'echo said',
  'skills/mail/SKILL.md': goodSkill('mail'),
};

async function open(options: object = {}): Promise<SkillsProvider> {
  const root = realpathSync(createSkillTree(FILES).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root, ...options });
  onTestFinished(() => skills.close());
  return skills;
}

it('createSkillsProvider saves the index for the next process if configured', async () => {
  const { root } = createSkillTree(FILES);
  const indexCache = join(root, 'kept.idx');
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root, indexCache });
  onTestFinished(() => skills.close());
  // Recently changed files are not cached, because they may change again.
  const isKept = async (): Promise<boolean> => {
    await skills.refresh();
    return existsSync(indexCache);
  };
  await expect.poll(isKept, { timeout: 20_000 }).toBe(true);
});

describe('an invalid option', () => {
  it.each<[object, string]>([
    [{ inclde: ['x'] }, "Option 'inclde' is not known. Did you mean 'include'?"],
    [{ dynamictools: {} }, "Did you mean 'dynamicTools'?"],
    [{ nothingLikeIt: 1 }, "Option 'nothingLikeIt' is not known. Options: include, "],
    [{ include: 'discord' }, "Option 'include' must be a list of names"],
    [{ exclude: 'discord' }, "Option 'exclude' must be a list of names"],
    [{ include: ['discrod'] }, "Did you mean 'discord'?"],
    [{ include: ['zz*'] }, "Option 'include' matches none of the 2 skills: zz*"],
    [{ dynamicTools: true }, "Option 'dynamicTools' must be an object"],
    [{ dynamicTools: { directory: 'x' } }, "Option 'dynamicTools.directory' is not known"],
    [{ dynamicTools: { dir: 5 } }, "Option 'dynamicTools.dir' must be a path"],
    [{ maxTools: -1 }, "Option 'maxTools' must be a whole number"],
    [{ maxTools: '5' }, "Option 'maxTools' must be a whole number"],
    [{ precedence: 'best' }, "Option 'precedence' must be"],
    [{ approve: true }, "Option 'approve' must be a function"],
  ])('is an error: %j', async (options, words) => {
    const error: unknown = await open(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'InvalidOptions' });
    expect((error as Error).message).toContain(words);
  });

  it('is reported together with the missing directory that caused it', async () => {
    const error: unknown = await createSkillsProvider('./nowhere-at-all', { include: ['discord'] }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'InvalidOptions' });
    expect((error as Error).message).toMatch(/names the skill 'discord'.*nowhere-at-all/);
  });

  it('is only a warning if one of several globs matches nothing', async () => {
    const warnings: string[] = [];
    const logger: Logger = { debug() {}, info() {}, error() {}, warn: (message) => warnings.push(message) };
    const skills = await open({ include: ['disc*', 'zz*'], logger });
    expect(skills.skillNames).toEqual(['discord']);
    expect(warnings).toEqual(["Option 'include' has a pattern that matches no skill: zz*."]);
  });
});

it('createSkillsProvider takes directories as URLs', async () => {
  const root = realpathSync(createSkillTree(FILES).root);
  const url = pathToFileURL(`${join(root, 'skills')}/`);
  const skills = await createSkillsProvider([url]);
  onTestFinished(() => skills.close());
  expect(skills.skillNames).toEqual(['discord', 'mail']);
  for (const directory of [new URL('https://example.org/skills'), '', 5, null])
    await expect(createSkillsProvider(directory as string)).rejects.toMatchObject({ code: 'InvalidOptions' });
});

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: approvals of untrusted skills, because bubblewrap is not installed.');

describe.skipIf(!hasBubblewrap)('approve', () => {
  it.each<[ApprovalAnswer | boolean, object]>([
    [true, { success: true, stdout: 'said\n' }],
    [false, { code: 'ApprovalDenied' }],
    ['once', { success: true }],
    ['yes' as ApprovalAnswer, { code: 'ApprovalDenied' }],
  ])('accepts the answer %j', async (answer, result) => {
    const stagingDir = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
    onTestFinished(() => {
      spawnSync('chmod', ['-R', 'u+w', stagingDir]);
      rmSync(stagingDir, { recursive: true, force: true });
    });
    const options: SkillsProviderOptions = { trust: 'untrusted', stagingDir, approve: async () => answer };
    const skills = await open(options);
    expect(await skills.handleToolCall('use_skill', { skill: 'discord', script: 'say.sh' })).toMatchObject(result);
  });
});

describe('forgetResults', () => {
  const history = [{ role: 'tool', tool_call_id: 'call_1', content: 'a long text' }];

  it('leaves a neutral note, or the given one', () => {
    expect(forgetResults('openai-chat', history, ['call_1'])).toEqual([
      { ...history[0], content: 'This result was dropped to save room.' },
    ]);
    expect(forgetResults('openai-chat', history, ['call_1'], 'Gone.')).toEqual([{ ...history[0], content: 'Gone.' }]);
  });

  it('rejects an id that is not in a list, and an empty note', () => {
    expect(() => forgetResults('openai-chat', history, 'call_1')).toThrow("Option 'callIds' must be a list of ids");
    expect(() => forgetResults('openai-chat', history, [], ' ')).toThrow("Option 'note' is empty");
  });
});
