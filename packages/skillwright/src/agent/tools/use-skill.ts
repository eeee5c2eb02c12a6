import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Runner, ScriptOptions } from '../../run/runner.ts';
import type { SkillTool } from '../../spec/skill.ts';
import { meantHandler, meantPath, missingFileSentence, scriptFiles } from './bundled-files.ts';
import { executionOutcome, refusedOutcome, type ToolOutcome } from './tool-outcome.ts';

export interface UseRequest {
  readonly record: SkillRecord;
  /** As the model wrote it: a path, or the name of a file. */
  readonly script: string;
  readonly args: readonly string[];
  readonly options: ScriptOptions;
  /** How a tool of the skill is called, as the end of a sentence. */
  readonly howToCall: (tool: SkillTool) => string;
}

/** Runs a script of a skill. The handler of a tool is not a script: run as one, it would do nothing and succeed. */
export async function useSkill(request: UseRequest, runner: Runner): Promise<ToolOutcome> {
  const { record, script, args, options } = request;
  const path = meantPath(record, script, scriptFiles);
  const tool = meantHandler(record, path);
  if (tool !== undefined)
    return refusedOutcome(
      'ScriptNotAllowed',
      `'${tool.script ?? path}' is what the tool '${tool.name}' runs, not a script: ${request.howToCall(tool)}.`,
    );
  const result = await runner.runScript(record, path, args, options);
  if (result.code !== 'ScriptNotFound') return executionOutcome(result);
  const sentence = missingFileSentence(record, script, scriptFiles(record));
  return executionOutcome({ ...result, error: `ScriptNotFound: ${sentence}` });
}
