import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { estimateTokens } from '../../../packages/skillwright/src/select/listing/token-estimate.ts';
import { createSkillsProvider, type SkillsProvider } from '../../../packages/skillwright/src/index.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../../support/skill-tree.ts';

async function open(files: TreeFiles): Promise<{ skills: SkillsProvider; root: string }> {
  const root = realpathSync(createSkillTree(files).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root, exclude: ['hidden'] });
  onTestFinished(() => skills.close());
  return { skills, root };
}

const LINES = Array.from({ length: 400 }, (_, index) => `Step ${index}: do what step ${index} says.`).join('\n');
const FILES = {
  'skills/one/SKILL.md':
    '---\nname: one\ndescription: One.\nallowed-tools: Read\nargument-hint: what\n---\nDo one. $ARGUMENTS\n',
  'skills/two/SKILL.md': '---\nname: two\ndescription: Two.\n---\nDo two.\n',
  'skills/long/SKILL.md': `---\nname: long\ndescription: Long.\n---\n${LINES}\n`,
  'skills/hidden/SKILL.md': goodSkill('hidden'),
};
const ALREADY = /is already loaded/;

describe('a session that is resumed', () => {
  it('knows by name which skills were loaded', async () => {
    const { skills } = await open(FILES);
    const session = skills.session('again', { loaded: ['one', 'two'] });
    const load = (args: object): Promise<unknown> => session.handleToolCall('load_skill', args);
    expect([session.loaded, session.active]).toEqual([['one', 'two'], []]);
    expect(await load({ skill: 'one' })).toMatch(ALREADY);
    expect(session.active).toEqual(['one']);
    expect(await load({ skill: 'one', arguments: 'this' })).toContain('Do one. this');
    expect(await load({ skill: 'one', arguments: 'this' })).toMatch(ALREADY);
    expect(await load({ skill: 'long' })).toContain('Step 399');
    session.forget('two');
    expect(await load({ skill: 'two' })).toContain('Do two.');
  });

  it('ignores names of skills that it cannot have loaded', async () => {
    const { skills } = await open(FILES);
    expect(skills.session('x', { loaded: ['gone', 'hidden', '__proto__', 'two'] }).loaded).toEqual(['two']);
    for (const loaded of ['one', [1], {}])
      expect(() => skills.session('x', { loaded: loaded as string[] })).toThrow("Option 'loaded' must be a list");
  });
});

describe('the text that protect() returns', () => {
  it('has the instructions of the loaded skills, the most recently loaded first', async () => {
    const { skills } = await open(FILES);
    const session = skills.session('talk', { loaded: ['two'] });
    expect(skills.session().protect()).toBe('');
    await session.handleToolCall('load_skill', { skill: 'one', arguments: 'this' });
    const text = session.protect();
    expect(text).toMatch(/^Instructions of the skills that are loaded in this conversation:\n\n## Skill: one\n/);
    expect(text.indexOf('Do one. this')).toBeLessThan(text.indexOf('Do two.'));
    expect(session.loaded).toEqual(['two', 'one']);
    expect(await session.handleToolCall('load_skill', { skill: 'two' })).toMatch(ALREADY);
    expect(await session.handleToolCall('load_skill', { skill: 'two' })).toMatch(ALREADY);
    expect(session.protect().indexOf('Do two.')).toBeLessThan(session.protect().indexOf('Do one. this'));
  });

  it('stays within its limits, and a shortened skill is returned in full when it is loaded again', async () => {
    const { skills } = await open(FILES);
    const session = skills.session();
    for (const skill of ['two', 'one', 'long']) await session.handleToolCall('load_skill', { skill });
    const text = session.protect({ perSkill: 200, total: 280 });
    expect(estimateTokens(text)).toBeLessThanOrEqual(280);
    expect(text).toContain('Step 0: do what step 0 says.\n');
    expect(text).toContain('[The rest of the instructions was cut. Load the skill again to read all of them.]');
    expect(session.loaded).not.toContain('long');
    expect(await session.handleToolCall('load_skill', { skill: 'long' })).toContain('Step 399');
  });

  it('names skills that do not fit', async () => {
    const { skills } = await open(FILES);
    const session = skills.session();
    for (const skill of ['two', 'long']) await session.handleToolCall('load_skill', { skill });
    const text = session.protect({ perSkill: 10, total: 100 });
    expect(text).toContain('Load these again when you need them: long, two.');
    expect(session.loaded).toEqual([]);
  });

  it('omits a skill that no longer exists', async () => {
    const { skills, root } = await open(FILES);
    const session = skills.session('talk', { loaded: ['one', 'two'] });
    rmSync(join(root, 'skills/one'), { recursive: true });
    const text = session.protect();
    expect(text).toContain('Do two.');
    expect(text).not.toContain('Do one.');
    expect(session.loaded).toEqual(['two']);
  });

  it.each([{ perSkill: 0 }, { total: Number.NaN }, { total: '5' as unknown as number }])(
    'cannot have the invalid limits %j',
    async (bounds) => {
      const { skills } = await open(FILES);
      expect(() => skills.session().protect(bounds)).toThrow('must be a number of tokens');
    },
  );
});
