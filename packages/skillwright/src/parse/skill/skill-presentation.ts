import { substituteArguments, type SkillVariables, type SubstitutionOptions } from './argument-substitution.ts';

export interface PresentationOptions extends Omit<SubstitutionOptions, 'variables'>, Omit<SkillVariables, 'skillDir'> {
  /** Directory of the skill; relative paths in its text start here. */
  readonly baseDir: string;
}

/** A skill's text as the model gets it: where the skill lies, a blank line, and the content with arguments put in. */
export function presentSkill(content: string, options: PresentationOptions): string {
  const { baseDir, pluginRoot, sessionId, projectDir, ...rest } = options;
  const variables = { skillDir: baseDir, pluginRoot, sessionId, projectDir };
  return `Base directory for this skill: ${baseDir}\n\n${substituteArguments(withoutLeadingBlankLines(content), { ...rest, variables })}`;
}

/** The blank line after the frontmatter does not belong to the instructions. */
function withoutLeadingBlankLines(content: string): string {
  return content.replace(/^(?:[ \t]*\r?\n)+/, '');
}
