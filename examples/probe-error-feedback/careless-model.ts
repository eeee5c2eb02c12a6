import { createScriptedModel, type ScriptedModel, type ScriptedTurn } from 'skillwright/testing';

/** The tool that the model calls without its required parameter. */
export const TOOL = 'FileSystemTool_list_files';

/**
 * A model that forgets a parameter and learns only from examples: it corrects its call if the response to it shows a correct one,
 * and otherwise repeats the same call. It has no built-in knowledge of the parameter.
 */
export function createCarelessModel(): Promise<ScriptedModel> {
  return createScriptedModel({
    respond({ results }): ScriptedTurn {
      const last = results.at(-1);
      if (last === undefined) return { calls: [{ name: TOOL, arguments: {} }] };
      const isAnswered = last.text.startsWith('{');
      if (isAnswered) return { text: `The directory holds: ${last.text}` };
      return { calls: [{ name: TOOL, arguments: exampleIn(last.text) ?? {} }] };
    },
  });
}

/** The arguments of the example call in a text; `undefined` if the text has none. */
function exampleIn(text: string): Record<string, unknown> | undefined {
  for (const [, block = ''] of text.matchAll(/```json\n([\s\S]*?)```/g)) {
    const example = JSON.parse(block) as { tool_name?: string; arguments?: Record<string, unknown> };
    if (example.tool_name === TOOL) return example.arguments;
  }
  return undefined;
}
