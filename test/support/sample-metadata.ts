import type { SkillMetadata } from '../../packages/skillwright/src/index.ts';

/** Metadata of a trusted skill, as discovery returns it. */
export function sampleSkill(name: string, more: Partial<SkillMetadata> = {}): SkillMetadata {
  return {
    name,
    description: `Does ${name}. Use when asked for ${name}.`,
    disableModelInvocation: false,
    qualifiedName: name,
    directoryName: name,
    filePath: `/skills/${name}/SKILL.md`,
    baseDir: `/skills/${name}`,
    source: 'project',
    trust: 'trusted',
    tools: [],
    ...more,
  };
}
