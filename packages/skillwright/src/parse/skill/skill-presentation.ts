import { substituteArguments, type SkillVariables, type SubstitutionOptions } from './argument-substitution.ts';

export interface PresentationOptions extends Omit<SubstitutionOptions, 'variables'>, Omit<SkillVariables, 'skillDir'> {
  /** The skill's directory, to which relative paths in its text refer. */
  readonly baseDir: string;
}

/** A skill's text for the model: its location, a blank line, and the content with arguments filled in. */
export function presentSkill(content: string, options: PresentationOptions): string {
  const { baseDir, pluginRoot, sessionId, projectDir, ...rest } = options;
  const variables = { skillDir: baseDir, pluginRoot, sessionId, projectDir };
  return `Base directory for this skill: ${baseDir}\n\n${substituteArguments(withoutLeadingBlankLines(content), { ...rest, variables })}`;
}

/** The blank line after the frontmatter is not part of the instructions. */
function withoutLeadingBlankLines(content: string): string {
  return content.replace(/^(?:[ \t]*\r?\n)+/, '');
}
