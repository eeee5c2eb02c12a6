import { describe, expect, it, onTestFinished } from 'vitest';
import { withHostTools } from '../../../packages/skillwright/src/agent/tools/host-tools.ts';
import type { SkillFinder } from '../../../packages/skillwright/src/agent/recovery/guidance.ts';
import { withRecovery, type RecoveryOptions } from '../../../packages/skillwright/src/agent/recovery/recovery.ts';
import type { Toolset } from '../../../packages/skillwright/src/agent/tools/toolset.ts';
import { createSkillsProvider, SkillLoader } from '../../../packages/skillwright/src/index.ts';
import type { AgentTool } from '../../../packages/skillwright/src/spec/agent-tool.ts';
import type { TraceEvent } from '../../../packages/skillwright/src/spec/events/trace.ts';
import type { ToolDefinition } from '../../../packages/skillwright/src/spec/wire.ts';
import { createSkillTree, goodSkill } from '../../support/skill-tree.ts';

const FAILING: AgentTool & ToolDefinition = {
  name: 'list_files',
  description: 'Lists files.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  execute: () => Promise.reject(new TypeError('It broke.')),
};
const BODY = '## list_files\n\n```json\n{ "path": "." }\n```\n';
const MATCH = { name: 'guide', qualifiedName: 'guide', score: 1, reasons: [] };

const finder = (more: Partial<SkillFinder> = {}): SkillFinder => ({
  find: async () => [MATCH],
  load: async () => ({ metadata: {} as never, body: BODY }),
  ...more,
});

interface Opened {
  readonly traces: TraceEvent[];
  call(args?: unknown, options?: { name?: string; round?: number; signal?: AbortSignal }): Promise<string>;
}

function open(toolset: Toolset, more: Partial<RecoveryOptions> = {}): Opened {
  const traces: TraceEvent[] = [];
  let round = 0;
  const recovering = withRecovery(toolset, {
    ...finder(),
    definitionOf: (name) => (name === FAILING.name ? FAILING : undefined),
    runId: 'run-1',
    turnIndex: () => round,
    onTrace: (event) => void traces.push(event),
    ...more,
  });
  return {
    traces,
    async call(args = {}, options = {}) {
      round = options.round ?? round;
      const { name = FAILING.name, signal } = options;
      return (await recovering.execute({ name, arguments: args }, { signal })).text;
    },
  };
}

const host = (tool: AgentTool = FAILING): Toolset => withHostTools(undefined, [tool]);

describe('a model that does not learn from errors', () => {
  it('is told to stop after three retries of a tool', async () => {
    const { call, traces } = open(host());
    const said: string[] = [];
    for (let round = 0; round < 6; round += 1) said.push(await call({}, { round }));
    expect(said.map((text) => text.split('\n').at(-1)?.slice(0, 24))).toEqual([
      'Please call the tool aga',
      'Please call the tool aga',
      'Please call the tool aga',
      'Stop calling list_files:',
      'Stop calling list_files:',
      'Stop calling list_files:',
    ]);
    expect(said[3]).toMatch(/^Error: The arguments of tool 'list_files' are invalid\. 'path' is missing\./);
    const safe = traces.flatMap((event) => (event.type === 'tool_error' ? [event.data.isRetrySafe] : []));
    expect(safe).toEqual([true, true, true, false, false, false]);
  });

  it('is not told to stop because several calls fail in one round', async () => {
    const { call } = open(host());
    const said = await Promise.all(Array.from({ length: 20 }, () => call({})));
    expect(said.filter((text) => text.includes('Stop calling'))).toEqual([]);
  });

  it('gets its retries back after a successful call', async () => {
    const { call } = open(host({ ...FAILING, execute: () => 'fine' }));
    for (let round = 0; round < 3; round += 1) await call({}, { round });
    await call({ path: '.' }, { round: 3 });
    expect(await call({}, { round: 4 })).toContain('Please call the tool again');
  });

  it('is told to stop calling tools that do not exist, whatever their names', async () => {
    const { call } = open(host(), { find: undefined });
    const said: string[] = [];
    for (let round = 0; round < 50; round += 1) said.push(await call({}, { name: `tool_${round}`, round }));
    expect(said[2]).toMatch(/^Error: Tool 'tool_2' not found\. .*Available tools: \['list_files'\]$/);
    expect(said[3]).toMatch(/\n\nStop calling tools that do not exist: it failed 4 times in this turn\. [^\n]+$/);
    expect(said[49]).toContain('failed 50 times');
  });

  it('gets no retry if maxRetries is 0', async () => {
    expect(await open(host(), { maxRetries: 0 }).call()).toContain('Stop calling list_files: it failed once');
  });
});

describe('a loader that', () => {
  it.each<[string, Partial<SkillFinder>]>([
    ['rejects when it is queried', { find: () => Promise.reject(new TypeError('No disk.')) }],
    [
      'throws when it is asked',
      {
        find: () => {
          throw new TypeError('No disk.');
        },
      },
    ],
    ['rejects when it loads', { load: () => Promise.reject(new TypeError('No disk.')) }],
  ])('%s gives no guidance, and the trace says why', async (_what, more) => {
    const { call, traces } = open(host(), finder(more));
    expect(await call({ path: '.' })).toBe('Error: It broke.');
    expect(traces).toMatchObject([
      { type: 'tool_error', data: { guidedBy: null, error: 'It broke. [no guidance: No disk.]' } },
    ]);
  });

  it('never settles is abandoned when the signal aborts', async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<void>();
    const find = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const { call, traces } = open(host(), finder({ find }));
    const said = call({ path: '.' }, { signal: controller.signal });
    await asked.promise;
    controller.abort();
    expect(await said).toBe('Error: It broke.');
    expect(traces).toHaveLength(1);
  });
});

describe('a tool that', () => {
  it('is cancelled returns a plain failure, and no guidance is looked up', async () => {
    let asked = 0;
    const find = async (): Promise<[]> => {
      asked += 1;
      return [];
    };
    const { call, traces } = open(host(), finder({ find }));
    expect(await call({ path: '.' }, { signal: AbortSignal.abort() })).toContain('Error: The call');
    expect(asked).toBe(0);
    expect(traces).toMatchObject([{ type: 'tool_error', data: { code: 'Cancelled', isRetrySafe: false } }]);
  });

  it('fails with a megabyte of text is cut, in the response and in the trace', async () => {
    const execute = (): Promise<never> => Promise.reject(new TypeError('x'.repeat(1_000_000)));
    const { call, traces } = open(host({ ...FAILING, execute }));
    expect((await call({ path: '.' })).length).toBeLessThan(5_000);
    expect(JSON.stringify(traces).length).toBeLessThan(5_000);
  });

  it('gets a megabyte of invalid arguments leaves small traces', async () => {
    const { call, traces } = open(host());
    await call({ path: 7, content: 'y'.repeat(1_000_000), list: Array.from({ length: 1_000 }, () => 'z') });
    expect(JSON.stringify(traces).length).toBeLessThan(8_000);
    expect(JSON.stringify(traces)).toContain('[1000 entries]');
  });

  it('has a dispatcher that throws returns a failed call', async () => {
    const broken: Toolset = { handles: () => true, execute: () => Promise.reject(new TypeError('A defect.')) };
    expect(await open(broken, { find: undefined }).call({ path: '.' })).toBe('Error: A defect.');
  });

  it('has a listener that throws still returns its result', async () => {
    const onTrace = (): never => {
      throw new TypeError('No.');
    };
    expect(await open(host(), { onTrace }).call()).toContain('Please call the tool again');
  });
});

describe('a tool of a skill', () => {
  const FILES = {
    'skills/box/SKILL.md': goodSkill('box'),
    'skills/box/scripts/fail.mjs': 'console.error("the lid is stuck"); process.exit(3);\n',
    'skills/box/tools.json': JSON.stringify([
      {
        name: 'open_box',
        description: 'Opens.',
        script: 'open.mjs',
        parameters: { box: { type: 'string', description: 'Which one' } },
      },
    ]),
    'skills/box/open.mjs': 'export default ({ box }) => { throw new Error(`${box} is locked`); };\n',
    'skills/guide/SKILL.md': `---\nname: guide\ndescription: Helps.\ntriggers: [tool_call_error]\n---\n## open_box\n\nKnock first.\n\n\`\`\`json\n{ "tool_name": "open_box", "arguments": { "box": "red" } }\n\`\`\`\n\n## use_skill\n\nName the script.\n`,
  };

  async function openSkills(): Promise<Opened> {
    const tree = createSkillTree(FILES);
    const provider = await createSkillsProvider(tree.path('skills'), { cwd: tree.root });
    onTestFinished(() => provider.close());
    const loader = new SkillLoader(tree.path('skills'));
    const toolset: Toolset = {
      handles: (name) => provider.handles(name),
      execute: (request, options) => provider.execute(request.name, request.arguments, options),
    };
    const definitions = provider.toolsFor('anthropic');
    return open(withHostTools(toolset, [FAILING]), {
      find: (trigger, context) => loader.findSkills(trigger, context),
      load: (name) => loader.loadSkill(name),
      definitionOf(name) {
        const found = definitions.find((tool) => tool.name === name);
        return found && { name, description: found.description, inputSchema: found.input_schema as never };
      },
    });
  }

  it('gets guidance like the tools of the host', async () => {
    const { call } = await openSkills();
    expect(await call({}, { name: 'open_box' })).toBe(
      `Tool call to open_box failed because the 'box' parameter is missing.

Required parameters for open_box:
- box (string): Which one.

Example of a correct tool call:
\`\`\`json
{
  "tool_name": "open_box",
  "arguments": {
    "box": "red"
  }
}
\`\`\`

Please call the tool again with the 'box' parameter.`,
    );
    expect(await call({ box: 'blue' }, { name: 'open_box' })).toMatch(
      /^Tool call failed: blue is locked\n\n## open_box\n/,
    );
  });

  it('keeps its output if it is a script', async () => {
    const { call } = await openSkills();
    const text = await call({ skill: 'box', script: 'scripts/fail.mjs' }, { name: 'use_skill' });
    expect(text).toMatch(
      /^Tool call failed: \{.*the lid is stuck.*\}\n\n## use_skill\n\nName the script\.\n\nDo not repeat/,
    );
  });
});
