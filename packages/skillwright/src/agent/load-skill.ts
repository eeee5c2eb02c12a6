import type { Catalog } from '../catalog/catalog.ts';
import type { SkillRecord } from '../catalog/skill-record.ts';
import { presentSkill } from '../parse/skill-presentation.ts';
import type { SkillFile } from '../spec/skill.ts';
import type { AgentSession } from './agent-session.ts';
import { textOutcome, type ToolOutcome } from './tool-outcome.ts';

/** Files named after the instructions. */
const MAX_FILES = 100;

export interface LoadRequest {
  readonly record: SkillRecord;
  readonly arguments: string;
  readonly session: AgentSession | undefined;
  readonly projectDir: string;
}

/** The instructions of a skill, where it lies, and which files come with it: never what is in them. */
export async function loadSkill(request: LoadRequest, catalog: Catalog): Promise<ToolOutcome> {
  const { record, session } = request;
  const { metadata } = record;
  const text = presentSkill(await catalog.body(record), {
    baseDir: metadata.baseDir,
    arguments: request.arguments,
    names: metadata.arguments,
    positional: metadata.arguments !== undefined || metadata.argumentHint !== undefined,
    pluginRoot: metadata.pluginRoot,
    projectDir: request.projectDir,
    sessionId: session?.id,
  });
  if (session?.load(metadata, text).isRepeated === true)
    return textOutcome(`Skill '${metadata.name}' is already loaded; its instructions are above.`);
  return textOutcome(text.trimEnd() + fileList(catalog.files(record).list(MAX_FILES + 1).files));
}

function fileList(files: readonly SkillFile[]): string {
  const bundled = files.filter(({ path }) => path.toLowerCase() !== 'skill.md' && path !== 'tools.json');
  if (bundled.length === 0) return '\n';
  const lines = bundled.slice(0, MAX_FILES).map(({ path }) => `- ${path}`);
  const more = bundled.length > MAX_FILES ? '- …\n' : '';
  return `\n\nFiles of this skill:\n${lines.join('\n')}\n${more}`;
}
