import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { presentSkill } from '../../parse/skill/skill-presentation.ts';
import type { SkillFile } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import type { AgentSession } from '../session/agent-session.ts';
import type { RunNote } from '../offer/system-prompt.ts';
import { textOutcome, type ToolOutcome } from './tool-outcome.ts';

/** How many files are listed after the instructions. */
const MAX_FILES = 100;

export interface LoadRequest {
  readonly record: SkillRecord;
  readonly arguments: string;
  readonly session: AgentSession | undefined;
  readonly projectDir: string;
  /** Tools of the skill that the model can call only by `use_skill`. */
  readonly withheld: readonly ToolDefinition[];
  /** The note for a skill that cannot run on this host. */
  readonly runNote: RunNote | undefined;
}

/**
 * The instructions of a skill, its location, the names of its files (never their content), its tools that are not
 * offered, and a note if this host cannot run it.
 */
export async function loadSkill(request: LoadRequest, catalog: Catalog): Promise<ToolOutcome> {
  const { record, session, withheld } = request;
  const { metadata } = record;
  const text = presentInstructions(await catalog.body(record), request);
  const isPlain = request.arguments === '';
  const kept = withRunNote(text, request.runNote);
  if (session?.load(metadata, kept, { isPlain }).isRepeated === true)
    return textOutcome(`Skill '${metadata.name}' is already loaded; its instructions are above.`);
  const files = fileList(catalog.files(record).list(MAX_FILES + 1).files);
  const whole = `${text.trimEnd()}${files}${toolList(withheld)}\n`;
  const answer = textOutcome(withRunNote(whole, request.runNote));
  return { ...answer, loaded: { skill: metadata.name } };
}

/** The instructions as the model gets them, with arguments filled in. */
export function presentInstructions(
  body: string,
  request: Pick<LoadRequest, 'record' | 'arguments' | 'projectDir'> & {
    readonly session: Pick<AgentSession, 'id'> | undefined;
  },
): string {
  const { record, projectDir, session } = request;
  return presentSkill(body, record.metadata, { arguments: request.arguments, projectDir, sessionId: session?.id });
}

/** Adds a note to the instructions if nothing of the skill can run here. */
export function withRunNote(text: string, note: RunNote | undefined): string {
  return note === undefined ? text : `${text.trimEnd()}\n\n${note.loaded}\n`;
}

function fileList(files: readonly SkillFile[]): string {
  const bundled = files.filter(({ path }) => path.toLowerCase() !== 'skill.md' && path !== 'tools.json');
  if (bundled.length === 0) return '';
  const lines = bundled.slice(0, MAX_FILES).map(({ path }) => `- ${path}`);
  if (bundled.length > MAX_FILES) lines.push('- …');
  return `\n\nFiles of this skill:\n${lines.join('\n')}`;
}

function toolList(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map(
    ({ name, description, inputSchema }) => `- ${name}: ${description}\n  Arguments: ${JSON.stringify(inputSchema)}`,
  );
  return `\n\nTools of this skill, which you call with use_skill:\n${lines.join('\n')}`;
}
