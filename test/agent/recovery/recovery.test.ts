import { describe, expect, it } from 'vitest';
import { withHostTools } from '../../../packages/skillwright/src/agent/tools/host-tools.ts';
import type { SkillFinder } from '../../../packages/skillwright/src/agent/recovery/guidance.ts';
import {
  withRecovery,
  type RecoveringToolset,
  type RecoveryOptions,
} from '../../../packages/skillwright/src/agent/recovery/recovery.ts';
import { refusedOutcome } from '../../../packages/skillwright/src/agent/tools/tool-outcome.ts';
import type { Toolset } from '../../../packages/skillwright/src/agent/tools/toolset.ts';
import { SkillLoader } from '../../../packages/skillwright/src/index.ts';
import type { AgentTool } from '../../../packages/skillwright/src/spec/agent-tool.ts';
import type { TraceEvent } from '../../../packages/skillwright/src/spec/events/trace.ts';
import { proves } from '../../proves.ts';
import { createSkillTree, skillText } from '../../support/skill-tree.ts';

const TOOL = 'FileSystemTool_list_files';
const SAMPLES = new URL('../../../skills', import.meta.url).pathname;
const PATH = { type: 'string', description: 'the directory path to list, relative to project root.' };

/** The seed's tool: its handler fails with "path is required". */
const LIST: AgentTool = {
  name: TOOL,
  description: 'Lists files.',
  inputSchema: { type: 'object', properties: { path: PATH } },
  execute({ path }) {
    if (path === undefined) throw new Error('path is required');
    return ['README.md'];
  },
};
const CHECKED: AgentTool = { ...LIST, inputSchema: { ...LIST.inputSchema, required: ['path'] } };

const MESSAGE = `Tool call to FileSystemTool_list_files failed because the 'path' parameter is missing.

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

Please call the tool again with the 'path' parameter.`;

interface Opened {
  readonly toolset: RecoveringToolset;
  readonly traces: TraceEvent[];
  /** Moves to the next round. */
  readonly next: () => void;
  call(name: string, args?: unknown): Promise<string>;
}

function open(
  tools: readonly AgentTool[],
  loader: SkillLoader | SkillFinder | undefined = new SkillLoader(SAMPLES),
  more: Partial<RecoveryOptions> = {},
): Opened {
  const traces: TraceEvent[] = [];
  let round = 0;
  const skills = loader instanceof SkillLoader ? finderOf(loader) : loader;
  const hosted = withHostTools(undefined, tools);
  const toolset = withRecovery(hosted, {
    ...skills,
    definitionOf: (name) => hosted.definitions.find((tool) => tool.name === name),
    toolNames: () => hosted.definitions.map(({ name }) => name),
    runId: 'run-1',
    turnIndex: () => round,
    onTrace: (event) => void traces.push(event),
    ...more,
  });
  return {
    toolset,
    traces,
    next: () => void (round += 1),
    call: async (name, args = {}) => (await toolset.execute({ callId: 'call_1', name, arguments: args })).text,
  };
}

function finderOf(loader: SkillLoader): SkillFinder {
  return { find: (trigger, context) => loader.findSkills(trigger, context), load: (name) => loader.loadSkill(name) };
}

function withSkills(skills: Readonly<Record<string, { triggers: string; body: string }>>): SkillLoader {
  const files = Object.entries(skills).map(([name, { triggers, body }]) => [
    `skills/${name}/SKILL.md`,
    skillText({ name, description: `About ${name}.`, triggers: `[${triggers}]` }, body),
  ]);
  return new SkillLoader(createSkillTree(Object.fromEntries(files) as Record<string, string>).path('skills'));
}

describe('a call that leaves out a parameter', () => {
  it("returns the seed's message, and succeeds once the model corrects it", async () => {
    proves('S3.flow.nine-steps', 'S3.orch.catch', 'S3.orch.tool-result', 'S3.err.what', 'S3.err.example');
    const { toolset } = open([LIST]);
    const failed = await toolset.execute({ callId: 'call_1', name: TOOL, arguments: '{}' });
    expect(failed).toMatchObject({ isError: true, text: MESSAGE, content: [{ type: 'text', text: MESSAGE }] });
    // A model that reads the example would do this.
    const [, example = ''] = /```json\n([^]*?)\n```/.exec(failed.text) ?? [];
    const call = JSON.parse(example) as { tool_name: string; arguments: unknown };
    const corrected = await toolset.execute({ callId: 'call_2', name: call.tool_name, arguments: call.arguments });
    expect(corrected).toMatchObject({ isError: false, text: '["README.md"]' });
  });

  it('returns the same message when the definition marks the parameter as required', async () => {
    proves('S3.dep.registry');
    expect(await open([CHECKED]).call(TOOL)).toBe(MESSAGE);
  });

  it('returns the error alone if no skill helps', async () => {
    proves('S3.orch.guidance-format');
    expect(await open([LIST], undefined, { find: undefined }).call(TOOL)).toBe('Error: path is required');
    expect(await open([LIST], withSkills({})).call(TOOL)).toBe('Error: path is required');
  });

  it('fires tool_call_error with the details of the failure', async () => {
    proves('S3.orch.find', 'S3.turn.user-message');
    const fired: unknown[] = [];
    const finder: SkillFinder = {
      async find(...asked) {
        fired.push(asked);
        return [];
      },
      load: () => Promise.reject(new TypeError('Nothing was found.')),
    };
    const { call, next } = open([LIST], finder);
    await call(TOOL, { path: '.' });
    expect(fired).toEqual([]);
    next();
    await call(TOOL);
    const toolCall = { id: 'call_1', function: { name: TOOL, arguments: {} } };
    const context = { toolName: TOOL, error: 'path is required', toolCall, turnIndex: 1 };
    expect(fired).toEqual([
      ['tool_call_error', context],
      ['missing_parameter', context],
      ['invalid_tool_call', context],
    ]);
  });

  it('is traced with the error, the chosen skill and the part of it that was quoted', async () => {
    proves('S3.trace.event', 'S3.trace.timestamp', 'S3.trace.tool_error');
    const { call, traces } = open([LIST]);
    await call(TOOL);
    const skill = { runId: 'run-1', turnIndex: 0, skillName: 'tool-call-error-recovery', trigger: 'tool_call_error' };
    const toolCall = { id: 'call_1', function: { name: TOOL, arguments: {} } };
    const context = { toolName: TOOL, error: 'path is required', toolCall, turnIndex: 0 };
    const error = { runId: 'run-1', turnIndex: 0, callId: 'call_1', toolName: TOOL, error: 'path is required' };
    expect(traces).toMatchObject([
      { type: 'skill_activated', data: { ...skill, context } },
      { type: 'skill_loaded', data: skill },
      {
        type: 'tool_error',
        data: { ...error, code: 'ExecutionFailed', isRetrySafe: true, guidedBy: 'tool-call-error-recovery' },
      },
    ]);
    expect(traces[0]?.data).toMatchObject({
      reasons: expect.arrayContaining(["declares the trigger 'tool_call_error'"]) as unknown,
    });
    const [example = ''] = /Example of a correct tool call:[^]*\n```/.exec(MESSAGE) ?? [];
    expect(traces[1]?.data).toMatchObject({ bytes: Buffer.byteLength(example) });
    for (const { timestamp } of traces) expect(new Date(timestamp).toISOString()).toBe(timestamp);
    expect(JSON.parse(JSON.stringify(traces))).toEqual(traces);
  });
});

describe('a failure other than a missing parameter', () => {
  const failing = (message: string, more: Partial<AgentTool> = {}): AgentTool => ({
    ...LIST,
    execute: () => Promise.reject(new TypeError(message)),
    ...more,
  });

  it('returns the whole section, and the advice not to repeat the call', async () => {
    proves('S3.retry.other', 'S3.orch.guidance-format');
    const { call, traces } = open([failing('ENOENT: no such directory')]);
    const text = await call(TOOL, { path: 'nowhere' });
    expect(text).toMatch(/^Tool call failed: ENOENT: no such directory\n\n## Tool: FileSystemTool_list_files\n/);
    expect(text).toContain('Common mistakes: empty arguments');
    expect(text).toMatch(/\n\nDo not repeat the same call: [^\n]+$/);
    expect(text).not.toContain('FileSystemTool_read_file');
    expect(traces.at(-1)?.data).toMatchObject({ isRetrySafe: false });
  });

  it('may be repeated if the tool is idempotent', async () => {
    const { call } = open([failing('ENOENT', { isIdempotent: true })]);
    expect(await call(TOOL, { path: 'x' })).toMatch(/\n\nYou may call the tool again[^\n]+$/);
  });

  it('names the existing tools if the tool is unknown, with general advice about tools', async () => {
    const text = await open([LIST]).call('weather');
    expect(text).toMatch(/^Tool call failed: Tool 'weather' not found\. Available tools/);
    expect(text).toContain('## Any other tool');
  });

  it('quotes the section of the tool whose name is closest to a misspelled name', async () => {
    const { call, traces } = open([LIST]);
    const text = await call('FileSystemTool_list_file');
    expect(text).toMatch(/^Tool call failed: Tool 'FileSystemTool_list_file' not found\. Did you mean '/);
    expect(text).toContain(`\n\n## Tool: ${TOOL}\n`);
    expect(text).toMatch(/\n\nPlease call an existing tool by its exact name\.$/);
    expect(traces.at(-1)?.data).toMatchObject({ code: 'ToolNotFound', isRetrySafe: true });
  });

  it('explains how to write arguments that are not JSON', async () => {
    const text = await open([LIST]).call(TOOL, '{"path": ');
    expect(text).toMatch(/^Tool call to \S+ failed because its arguments are not a JSON object\.\n\nExample/);
    expect(text).toMatch(/\n\nPlease call the tool again with one JSON object[^\n]+$/);
  });

  it('keeps the error and its code in the outcome for programs', async () => {
    const { toolset } = open([LIST]);
    const outcome = await toolset.execute({ name: TOOL, arguments: {} });
    expect(outcome.value).toMatchObject({ success: false, error: 'ExecutionFailed: path is required' });
    expect(outcome.execution?.code).toBe('ExecutionFailed');
  });
});

describe('a call that was denied or timed out', () => {
  it.each(['ApprovalDenied', 'ApprovalRequired', 'ExecutionTimeout'] as const)(
    'gets no guidance after %s, and the model is told not to repeat the call',
    async (code) => {
      const find = async (): Promise<never> => expect.fail('No skill is looked for.');
      const refusing: Toolset = { handles: () => true, execute: async () => refusedOutcome(code, 'No.') };
      const source = { runId: 'run-1', turnIndex: () => 0, definitionOf: () => undefined };
      const { text } = await withRecovery(refusing, { ...source, find, load: find }).execute({
        name: TOOL,
        arguments: {},
      });
      expect(text).toMatch(/^Error: No\.\n\nDo not /);
    },
  );
});

describe('every message', () => {
  it.each([
    ['a missing parameter', TOOL, {}],
    ['a value of a wrong type', TOOL, { path: 7 }],
    ['arguments that are not JSON', TOOL, '{"path": "."'],
    ['arguments that are a list', TOOL, '["."]'],
    ['a missing tool', 'FileSystemTool_delete_files', { path: '.' }],
    ['a tool that throws', 'FileSystemTool_read_file', { path: 'a' }],
  ])('about %s is short, and ends by saying what to do', async (_what, name, args) => {
    proves('S3.risk.concise', 'S3.err.retry');
    const broken: AgentTool = {
      ...CHECKED,
      name: 'FileSystemTool_read_file',
      execute: () => Promise.reject(new TypeError('EACCES')),
    };
    const text = await open([CHECKED, broken]).call(name, args);
    expect(text.length).toBeLessThan(2_000);
    expect(text).toMatch(/^Tool call /);
    expect(text.split('\n').at(-1)).toMatch(/^(?:Please call|Do not) .+\.$/);
  });
});

describe('the skill that guides a failed call', () => {
  const section = (path: string): string => `\n## ${TOOL}\n\n\`\`\`json\n{ "path": "${path}" }\n\`\`\`\n`;

  it('may have only the trigger missing_parameter', async () => {
    const { call, traces } = open(
      [LIST],
      withSkills({ narrow: { triggers: 'missing_parameter', body: section('a') } }),
    );
    expect(await call(TOOL)).toContain('"path": "a"');
    expect(traces[0]?.data).toMatchObject({ trigger: 'missing_parameter', skillName: 'narrow' });
  });

  it('may have the trigger invalid_tool_call', async () => {
    const { call, traces } = open(
      [LIST],
      withSkills({ narrow: { triggers: 'invalid_tool_call', body: section('a') } }),
    );
    expect(await call(TOOL, '[')).toContain('"path": "a"');
    expect(traces[0]?.data).toMatchObject({ trigger: 'invalid_tool_call' });
  });

  it('is one with a section for the tool rather than one about tools in general', async () => {
    const skills = withSkills({
      general: { triggers: 'tool_call_error', body: 'Read the definition.' },
      special: { triggers: 'missing_parameter', body: section('special') },
    });
    expect(await open([LIST], skills).call(TOOL)).toContain('"path": "special"');
  });

  it('is the skill for any failure if that skill and a more specific one both have a section', async () => {
    const skills = withSkills({
      broad: { triggers: 'tool_call_error', body: section('broad') },
      narrow: { triggers: 'missing_parameter', body: section('narrow') },
    });
    expect(await open([LIST], skills).call(TOOL)).toContain('"path": "broad"');
  });

  it('is left out if it is long and has no section for the tool', async () => {
    const skills = withSkills({ long: { triggers: 'tool_call_error', body: `# Long\n\n${'word '.repeat(2_000)}\n` } });
    const { call, traces } = open([LIST], skills);
    expect(await call(TOOL)).toBe('Error: path is required');
    expect(traces.map(({ type }) => type)).toEqual(['tool_error']);
  });

  it('is quoted in part if its section is huge', async () => {
    const body = `\n## ${TOOL}\n\n${'A line about it.\n'.repeat(50_000)}\n\`\`\`json\n{ "path": "." }\n\`\`\`\n`;
    const tool: AgentTool = { ...LIST, execute: () => Promise.reject(new TypeError('disk full')) };
    const text = await open([tool], withSkills({ huge: { triggers: 'tool_call_error', body } })).call(TOOL, {
      path: 'a',
    });
    expect(text.length).toBeLessThan(5_000);
    expect(text).toContain('```json\n{ "path": "." }\n```');
  });
});
