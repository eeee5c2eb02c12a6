import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createSkillsProvider, type SkillsProvider } from '../../../packages/skillwright/src/index.ts';
import { proves } from '../../proves.ts';
import { createSkillTree, type TreeFiles } from '../../support/skill-tree.ts';

const SKILL = '---\nname: box\ndescription: Has tools.\ncompatibility: Needs Node 22 or later.\n---\nCall them.\n';
const TOOLS = JSON.stringify([
  {
    name: 'double',
    description: 'Doubles.',
    script: 'scripts/double.mjs',
    parameters: { n: { type: 'number', description: 'What.' } },
  },
]);

async function open(files: TreeFiles): Promise<SkillsProvider> {
  const root = realpathSync(createSkillTree(files).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root });
  onTestFinished(() => skills.close());
  return skills;
}

it('calls a tool that exists only as files on disk', async () => {
  proves('S1.2.zero-deps');
  const skills = await open({
    'skills/box/SKILL.md': SKILL,
    'skills/box/tools.json': TOOLS,
    'skills/box/scripts/double.mjs': 'export default ({ n }) => n * 2;',
  });
  expect(await skills.handleToolCall('double', { n: 21 })).toBe(42);
});

it('a tools.json adds tools and changes nothing that is read from SKILL.md', async () => {
  proves('S1.9.additive', 'S1.9.compatibility');
  const files = { 'skills/box/SKILL.md': SKILL, 'skills/box/scripts/double.mjs': 'export default ({ n }) => n * 2;' };
  const plain = await open({ 'skills/box/SKILL.md': SKILL });
  const tooled = await open({ ...files, 'skills/box/tools.json': TOOLS });
  const loaded = await Promise.all(
    [plain, tooled].map(async (skills) => (await skills.execute('load_skill', { skill: 'box' })).text),
  );
  expect(loaded.map((text) => text.slice(text.indexOf('\n')))).toEqual([
    '\n\nCall them.\n',
    '\n\nCall them.\n\nFiles of this skill:\n- scripts/double.mjs\n',
  ]);
  expect(plain.systemPrompt).toBe(tooled.systemPrompt);
  expect(tooled.tools.map(({ name }) => name)).toEqual([...plain.tools.map(({ name }) => name), 'double']);
  expect(plain.skills[0]?.compatibility).toBe('Needs Node 22 or later.');
});
