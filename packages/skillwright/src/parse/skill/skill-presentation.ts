import type { SkillMetadata } from '../../spec/skill.ts';
import { substituteArguments, type SkillVariables, type SubstitutionOptions } from './argument-substitution.ts';

/** The fields of a skill that its text depends on. */
type PresentedSkill = Pick<SkillMetadata, 'baseDir' | 'arguments' | 'argumentHint' | 'pluginRoot'>;

/** One use of a skill: the raw arguments, and the values of variables. */
type SkillUse = Pick<SubstitutionOptions, 'arguments'> & Pick<SkillVariables, 'sessionId' | 'projectDir'>;

/** A skill's text for the model: its location, a blank line, and the content with arguments filled in. */
export function presentSkill(content: string, skill: PresentedSkill, use: SkillUse = {}): string {
  const { baseDir, arguments: names, argumentHint, pluginRoot } = skill;
  const { arguments: given, ...variables } = use;
  const text = substituteArguments(withoutLeadingBlankLines(content), {
    arguments: given,
    names,
    positional: names !== undefined || argumentHint !== undefined,
    variables: { skillDir: baseDir, pluginRoot, ...variables },
  });
  return `Base directory for this skill: ${baseDir}\n\n${text}`;
}

/** The blank line after the frontmatter is not part of the instructions. */
function withoutLeadingBlankLines(content: string): string {
  return content.replace(/^(?:[ \t]*\r?\n)+/, '');
}
