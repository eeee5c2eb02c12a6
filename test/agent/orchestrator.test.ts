import { afterEach, describe, expect, it } from 'vitest';
import {
  SkillLoader,
  ToolOrchestrator,
  type AgentTool,
  type TraceEvent,
} from '../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../packages/skillwright/src/spec/wire.ts';
import type { Conversation, ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, skillText } from '../support/skill-tree.ts';
import { modelOf, openThings } from './scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const LIST_FILES: AgentTool = {
  name: 'FileSystemTool_list_files',
  description: 'Lists the files of a directory.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'the directory path to list, relative to project root' } },
    required: ['path'],
  },
  execute: ({ path }) => [`${String(path)}/README.md`],
};

const EXAMPLE = '"path": "."';

/** A model that omits `path` until it has seen an example of a correct call. */
function learns({ results }: Conversation): ScriptedTurn {
  const [result] = results;
  if (result === undefined) return { calls: [{ name: 'FileSystemTool_list_files', arguments: {} }] };
  if (result.text.includes('README.md')) return { text: 'There is a README.md.' };
  if (result.text.includes(EXAMPLE))
    return { calls: [{ name: 'FileSystemTool_list_files', arguments: { path: '.' } }] };
  return { text: `I could not list the files: ${result.text.split('\n')[0]}` };
}

describe.each(WIRE_FORMATS.flatMap((format) => [true, false].map((stream) => ({ format, stream }))))(
  'recovery on $format, streaming: $stream',
  ({ format, stream }) => {
    it("lets the model correct its call in the same turn with the skill's guidance", async () => {
      proves('S3.agent.loader-injected');
      const model = await things.scripted({ respond: learns });
      const traces: TraceEvent[] = [];
      const orchestrator = things.keep(
        new ToolOrchestrator({
          model: modelOf(model, format),
          tools: [LIST_FILES],
          loader: new SkillLoader('./skills'),
          onTrace: (event) => traces.push(event),
          stream,
          taskMatch: false,
        }),
      );
      const result = await orchestrator.run('List files in current directory.');
      expect(result).toMatchObject({ reason: 'end', text: 'There is a README.md.', rounds: 3 });
      expect(model.requests[1]?.conversation?.results[0]?.text).toMatchInlineSnapshot(`
        "Tool call to FileSystemTool_list_files failed because the 'path' parameter is missing.

        Required parameters for FileSystemTool_list_files:
        - path (string): the directory path to list, relative to project root.

        Example of a correct tool call:
        \`\`\`json
        {
          "tool_name": "FileSystemTool_list_files",
          "arguments": {
            "path": "."
          }
        }
        \`\`\`

        Please call the tool again with the 'path' parameter."
      `);
      expect(traces.map(({ type }) => type)).toEqual([
        'llm_call',
        'skill_activated',
        'skill_loaded',
        'tool_error',
        'tool_call',
        'llm_call',
        'tool_call',
        'llm_call',
        'run_end',
      ]);
    });

    it('fails without the skill', async () => {
      const model = await things.scripted({ respond: learns });
      const tree = createSkillTree({ 'skills/other/SKILL.md': goodSkill('other') });
      const loader = new SkillLoader(tree.path('skills'));
      const orchestrator = things.keep(
        new ToolOrchestrator({ model: modelOf(model, format), tools: [LIST_FILES], loader, stream, taskMatch: false }),
      );
      const result = await orchestrator.run('List files in current directory.');
      expect(result.text).toMatch(/^I could not list the files: Error: /);
      expect(result.rounds).toBe(2);
    });
  },
);

describe('the orchestrator', () => {
  it('finds, loads and provides skills for a trigger, for the current turn only', async () => {
    proves('S3.agent.activateSkills');
    const tree = createSkillTree({
      'skills/structure/SKILL.md': skillText(
        { name: 'structure', description: 'Remembers the structure of the project.', triggers: '[turn_start]' },
        '\nThe code is in src.\n',
      ),
    });
    const model = await things.scripted([{ text: 'In src.' }, { text: 'In src, still.' }]);
    const traces: TraceEvent[] = [];
    const orchestrator = things.keep(
      new ToolOrchestrator({
        model: modelOf(model, 'openai-chat'),
        tools: [],
        loader: new SkillLoader(tree.path('skills')),
        onTrace: (event) => traces.push(event),
      }),
    );
    const activated = await orchestrator.activateSkills('turn_start', { turnIndex: 0 });
    expect(activated).toMatchObject({
      skills: ['structure'],
      text: expect.stringContaining('The code is in src.') as string,
    });
    expect(traces.map(({ type }) => type)).toEqual(['skill_activated', 'skill_loaded']);
    const first = await orchestrator.run('Where is the code?');
    expect(model.requests[0]?.conversation?.system).toContain('The code is in src.');
    expect(JSON.stringify(first.messages)).not.toContain('The code is in src.');
    await orchestrator.run('And now?', { history: first.messages });
    expect(model.requests[1]?.conversation?.system.match(/The code is in src\./g)).toHaveLength(1);
  });

  it('adds the skills that a step requires to its system text, and rejects an unknown skill', async () => {
    const model = await things.scripted([{ text: 'Scaffolded.' }]);
    const orchestrator = things.keep(
      new ToolOrchestrator({
        model: modelOf(model, 'openai-chat'),
        tools: [],
        loader: new SkillLoader('./skills'),
        taskMatch: false,
      }),
    );
    await orchestrator.preloadSkills(['file_scaffolding']);
    await orchestrator.run('Scaffold a Vue component.', { requiredSkills: ['file_scaffolding'] });
    expect(model.requests[0]?.conversation?.system).toContain('## Skill: file-scaffolding');
    await expect(orchestrator.run('Go.', { requiredSkills: ['file-scafolding'] })).rejects.toMatchObject({
      code: 'SkillNotFound',
    });
  });
});
