import { createDirectorySource, createMemorySource, createPluginSource } from '../../packages/skillwright/src/index.ts';
import { createSkillTree, type SkillTree } from '../support/skill-tree.ts';
import { describeSkillSource, type SourceSkill } from './skill-source.ts';

function writeSkills(skills: readonly SourceSkill[], under: string): SkillTree {
  const tree = createSkillTree({ [`${under}/`]: '' });
  for (const { directory, files } of skills) {
    tree.write(
      Object.fromEntries(Object.entries(files).map(([path, content]) => [`${under}/${directory}/${path}`, content])),
    );
  }
  return tree;
}

describeSkillSource('directory', {
  makeSource: (skills) => createDirectorySource({ path: writeSkills(skills, 'skills').path('skills') }),
});

describeSkillSource('memory', { makeSource: (skills) => createMemorySource(skills) });

describeSkillSource('plugin', {
  makeSource(skills) {
    const tree = writeSkills(skills, 'kit/skills');
    tree.write({ 'kit/.claude-plugin/plugin.json': '{ "name": "kit" }' });
    return createPluginSource({ path: tree.path('kit') });
  },
  nameOf(directory) {
    const name = `kit:${directory.split('/').at(-1) ?? ''}`;
    return { name, qualifiedName: name };
  },
});
