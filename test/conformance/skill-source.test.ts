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
  makeSource: (skills, options) =>
    createDirectorySource({ path: writeSkills(skills, 'skills').path('skills'), ...options }),
});

describeSkillSource('memory', { makeSource: (skills, options) => createMemorySource(skills, options) });

describeSkillSource('plugin', {
  makeSource(skills, options) {
    const tree = writeSkills(skills, 'kit/skills');
    tree.write({ 'kit/.claude-plugin/plugin.json': '{ "name": "kit" }' });
    return createPluginSource({ path: tree.path('kit'), ...options });
  },
  nameOf(directory) {
    const name = `kit:${directory.split('/').at(-1) ?? ''}`;
    return { name, qualifiedName: name };
  },
});
