import { describe, expect, it, onTestFinished } from 'vitest';
import { createSkillTree, goodSkill, type TreeFiles } from '../../../../../test/support/skill-tree.ts';
import { createSkillsProvider } from '../../faces/provider/skills-provider.ts';
import type { AgentTool } from '../../spec/agent-tool.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { withHostTools, type HostToolset } from './host-tools.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { Toolset } from './toolset.ts';

const OBJECT = { type: 'object', properties: {} } as const;

function hostTool(
  name: string,
  execute: AgentTool['execute'] = () => 'done',
  more: Partial<AgentTool> = {},
): AgentTool {
  return { name, description: `Does ${name}.`, inputSchema: OBJECT, execute, ...more };
}

const LIST = hostTool('list_files', (args) => ({ listed: args['path'], depth: args['depth'] }), {
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, depth: { type: 'integer', default: 2 } },
    required: ['path'],
  },
});

function codeOf(outcome: ToolOutcome): string | undefined {
  expect(outcome.isError).toBe(outcome.execution?.code !== undefined);
  return outcome.execution?.code;
}

function errorOf(tools: unknown, skills?: Toolset): string {
  try {
    withHostTools(skills, tools as readonly AgentTool[]);
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was thrown';
}

async function openSkills(files: TreeFiles): Promise<Toolset> {
  const tree = createSkillTree(files);
  const provider = await createSkillsProvider(tree.root, { cwd: tree.root });
  onTestFinished(() => provider.close());
  return {
    handles: (name, session) => provider.handles(name, { session }),
    execute: (request, options) => provider.execute(request.name, request.arguments, options),
  };
}

describe('host tools', () => {
  it('offers a tool, calls it with checked arguments and defaults, and returns its result as JSON', async () => {
    const toolset = withHostTools(undefined, [LIST]);
    expect(toolset.definitions).toEqual([
      { name: 'list_files', description: 'Does list_files.', inputSchema: LIST.inputSchema },
    ]);
    expect(toolset.handles('list_files')).toBe(true);
    const outcome = await toolset.execute({ name: 'list_files', arguments: '{"path":"."}' });
    expect(outcome).toMatchObject({
      isError: false,
      text: '{"listed":".","depth":2}',
      value: { listed: '.', depth: 2 },
    });
  });

  it('parses an argument that a model wrote as JSON text when the schema wants an object', async () => {
    const properties = {
      where: { type: 'object', properties: { year: { type: 'integer' } } },
      note: { type: 'string' },
    };
    const toolset = withHostTools(undefined, [
      hostTool('find', (args) => args, { inputSchema: { type: 'object', properties } }),
    ]);
    const given = { where: '{"year":2024}', note: '{"year":2024}' };
    const outcome = await toolset.execute({ name: 'find', arguments: JSON.stringify(given) });
    expect(outcome.value).toEqual({ where: { year: 2024 }, note: '{"year":2024}' });
    for (const where of ['{"year":"soon"}', '{"year":', '[1]', '']) {
      const refused = await toolset.execute({ name: 'find', arguments: { where } });
      expect(codeOf(refused)).toBe('InvalidArguments');
    }
  });

  it('passes the call id and the signal to the tool', async () => {
    const signal = new AbortController().signal;
    let seen: unknown;
    const toolset = withHostTools(undefined, [hostTool('a', (_args, context) => void (seen = context))]);
    await toolset.execute({ name: 'a', arguments: {}, callId: 'call_1' }, { signal });
    expect(seen).toEqual({ callId: 'call_1', signal });
    expect((seen as { signal: unknown }).signal).toBe(signal);
  });

  it.each([
    ['no arguments', {}, "'path' is missing."],
    ['a wrong type', { path: 7 }, "'path' must be string."],
    ['arguments that are not JSON', '{"path":', 'not valid JSON'],
    ['a list', '[1]', 'must be a JSON object'],
  ])('does not run a tool with %s', async (_what, args, problem) => {
    let calls = 0;
    const toolset = withHostTools(undefined, [{ ...LIST, execute: () => (calls += 1) }]);
    const outcome = await toolset.execute({ name: 'list_files', arguments: args });
    expect(codeOf(outcome)).toBe('InvalidArguments');
    expect(outcome.text).toContain(problem);
    expect(calls).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new TypeError('path is required');
      },
      'path is required',
    ],
    ['rejects', () => Promise.reject(new Error('no')), 'no'],
    [
      'throws what cannot be shown',
      () => {
        throw Object.create(null, {
          message: {
            get() {
              throw new Error('x');
            },
          },
        });
      },
      'cannot be shown',
    ],
  ])('fails a call to a tool that %s', async (_what, execute, message) => {
    const outcome = await withHostTools(undefined, [hostTool('a', execute)]).execute({ name: 'a', arguments: {} });
    expect(codeOf(outcome)).toBe('ExecutionFailed');
    expect(outcome.execution?.error).toContain(message);
  });

  it.each([
    ['ApprovalDenied', 'ApprovalDenied'],
    ['ExecutionTimeout', 'ExecutionTimeout'],
    ['ENOENT', 'ExecutionFailed'],
    ['SkillNotFound', 'ExecutionFailed'],
  ])('reports an error with the code %s as %s', async (code, told) => {
    const execute = (): never => {
      throw Object.assign(new Error('It says why.'), { code });
    };
    const outcome = await withHostTools(undefined, [hostTool('a', execute)]).execute({ name: 'a', arguments: {} });
    expect(codeOf(outcome)).toBe(told);
    expect(outcome.execution?.error).toBe(`${told}: It says why.`);
  });

  it('fails a call that throws an unreadable value', async () => {
    const execute = (): never => {
      throw Object.defineProperty(new Error('x'), 'code', {
        get() {
          throw new Error('no');
        },
      });
    };
    const outcome = await withHostTools(undefined, [hostTool('a', execute)]).execute({ name: 'a', arguments: {} });
    expect(codeOf(outcome)).toBe('ExecutionFailed');
  });

  it.each([
    ['a function', () => {}, 'it is a function'],
    ['a bigint', { n: 1n }, 'BigInt'],
    ['bytes', new Uint8Array(4), 'base64'],
    ['a Map', new Map(), 'Map'],
    ['NaN', [Number.NaN], 'NaN'],
  ])('fails a call whose result is %s', async (_what, answer, message) => {
    const outcome = await withHostTools(undefined, [hostTool('a', () => answer)]).execute({ name: 'a', arguments: {} });
    expect(codeOf(outcome)).toBe('InvalidResult');
    expect(outcome.text).toContain(message);
  });

  it('fails a call whose result contains itself', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const outcome = await withHostTools(undefined, [hostTool('a', () => circle)]).execute({ name: 'a', arguments: {} });
    expect(codeOf(outcome)).toBe('InvalidResult');
  });

  it.each([
    ['text', 'é'.repeat(2_500_000)],
    ['JSON', { text: 'é'.repeat(2_500_000) }],
  ])('cuts 5 MB of %s, with a note', async (_what, answer) => {
    const outcome = await withHostTools(undefined, [hostTool('a', () => answer)]).execute({ name: 'a', arguments: {} });
    expect(outcome.isError).toBe(false);
    expect(Buffer.byteLength(outcome.text)).toBeLessThan(20_600);
    expect(outcome.text).toMatch(/é\n\[output truncated: 20480 of 50000\d\d bytes\]$/);
    expect(outcome.value).toBe(outcome.text);
  });

  it('never cuts media: media that are too large are left out', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(100_000) };
    const outcome = await withHostTools(undefined, [hostTool('a', () => image)]).execute({ name: 'a', arguments: {} });
    expect(outcome.content).toEqual([image]);
    const large = {
      content: [
        { ...image, data: 'A'.repeat(5_000_000) },
        { type: 'text', text: 'x'.repeat(30_000) },
      ],
    };
    const cut = await withHostTools(undefined, [hostTool('a', () => large)]).execute({ name: 'a', arguments: {} });
    expect(cut.text.length).toBeLessThan(21_000);
    expect(cut.text).toContain('[image, image/png, 3750000 bytes] [too large to show]');
  });

  it('returns as much as the host allows', async () => {
    const toolset = withHostTools(undefined, [hostTool('a', () => 'abcdef')], { maxOutputBytes: 3 });
    expect((await toolset.execute({ name: 'a', arguments: {} })).text).toBe('abc\n[output truncated: 3 of 6 bytes]');
  });

  it('abandons a tool that never settles when the signal aborts', async () => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const toolset = withHostTools(undefined, [
      hostTool('a', () => {
        begun.resolve();
        return new Promise(() => {});
      }),
    ]);
    const outcome = toolset.execute({ name: 'a', arguments: {} }, { signal: controller.signal });
    await begun.promise;
    controller.abort();
    expect(codeOf(await outcome)).toBe('Cancelled');
  });

  it('ignores a tool that rejects after the caller gave up', async () => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const late = Promise.withResolvers<never>();
    const toolset = withHostTools(undefined, [
      hostTool('a', () => {
        begun.resolve();
        return late.promise;
      }),
    ]);
    const outcome = toolset.execute({ name: 'a', arguments: {} }, { signal: controller.signal });
    await begun.promise;
    controller.abort();
    expect(codeOf(await outcome)).toBe('Cancelled');
    late.reject(new Error('too late'));
    await new Promise(setImmediate);
  });

  it('does not start a tool when the signal has already aborted', async () => {
    let calls = 0;
    const toolset = withHostTools(undefined, [hostTool('a', () => (calls += 1))]);
    const outcome = await toolset.execute({ name: 'a', arguments: {} }, { signal: AbortSignal.abort() });
    expect([codeOf(outcome), calls]).toEqual(['Cancelled', 0]);
  });
});

describe('a name that no tool has', () => {
  it('gets an error that lists the available tools', async () => {
    const toolset = withHostTools(undefined, [LIST, hostTool('read_file')]);
    const outcome = await toolset.execute({ name: 'list_file', arguments: {} });
    expect(codeOf(outcome)).toBe('ToolNotFound');
    expect(outcome.execution?.error).toBe(
      "ToolNotFound: Tool 'list_file' not found. Did you mean 'list_files'? Available tools: ['list_files', 'read_file']",
    );
    expect(toolset.handles('list_file')).toBe(false);
  });

  it('is never mistaken for a built-in object property', async () => {
    const toolset = withHostTools(undefined, [LIST]);
    expect(codeOf(await toolset.execute({ name: 'constructor', arguments: {} }))).toBe('ToolNotFound');
  });

  it('may have any length', async () => {
    const outcome = await withHostTools(undefined, []).execute({ name: 'x'.repeat(1_000_000), arguments: {} });
    expect(outcome.text.length).toBeLessThan(1_000);
  });
});

describe('tools that cannot be offered', () => {
  it.each([
    ['a value that is not a list', {}, "Option 'tools' must be a list"],
    ['an entry that is not a tool', [null], 'Tool 0 .* has no name'],
    ['a tool without a description', [{ name: 'a', execute: () => 1, inputSchema: OBJECT }], 'has no description'],
    ['a tool without a function', [{ ...LIST, execute: undefined }], "has no function 'execute'"],
    [
      'a tool without an object schema',
      [{ ...LIST, inputSchema: { type: 'string' } }],
      'has no inputSchema of an object',
    ],
    ['an illegal name', [hostTool('a b')], "'a b' .* a name that model providers refuse"],
    ['a long name', [hostTool('a'.repeat(65))], 'a name that model providers refuse'],
    ['the same name twice', [LIST, LIST], "two tools named 'list_files'"],
  ])('are refused: %s', (_what, tools, message) => {
    expect(errorOf(tools)).toMatch(new RegExp(`^InvalidOptions: .*${message}`));
  });
});

describe('host tools beside skills', () => {
  const FILES = {
    'counting/SKILL.md': goodSkill('counting'),
    'counting/tools.json': JSON.stringify([
      { name: 'count_words', description: 'Counts words.', parameters: {}, script: 'count.mjs' },
    ]),
    'counting/count.mjs': 'export default () => ({ count: 3 });\n',
  };

  async function open(tools: readonly AgentTool[]): Promise<HostToolset> {
    return withHostTools(await openSkills(FILES), tools, { skillToolNames: () => ['load_skill', 'count_words'] });
  }

  it('calls both kinds of tools', async () => {
    const toolset = await open([LIST]);
    expect(toolset.handles('load_skill')).toBe(true);
    expect((await toolset.execute({ name: 'load_skill', arguments: { skill: 'counting' } })).text).toContain(
      'Base directory',
    );
    expect((await toolset.execute({ name: 'list_files', arguments: { path: '.' } })).isError).toBe(false);
  });

  it('answers an unknown name with the names of both kinds', async () => {
    const outcome = await (await open([LIST])).execute({ name: 'zzz', arguments: {} });
    expect(outcome.execution?.error).toBe(
      "ToolNotFound: Tool 'zzz' not found. Available tools: ['list_files', 'load_skill', 'count_words']",
    );
  });

  it("leaves a failure of a skill's tool unchanged", async () => {
    const outcome = await (await open([LIST])).execute({ name: 'load_skill', arguments: { skill: 'nothing' } });
    expect(codeOf(outcome)).toBe('SkillNotFound');
  });

  it.each(['load_skill', 'read_skill_file', 'count_words'])(
    'rejects a host tool with the taken name %s',
    async (name) => {
      expect(errorOf([hostTool(name)], await openSkills(FILES))).toContain(
        `Tool '${name}' of option 'tools' has the same name as a tool`,
      );
    },
  );

  it('applies the tool list of a loaded skill to host tools too', async () => {
    const tree = createSkillTree({
      'careful/SKILL.md': '---\nname: careful\ndescription: Reads only.\nallowed-tools: read_file\n---\nRead.\n',
    });
    const provider = await createSkillsProvider(tree.root, { cwd: tree.root });
    onTestFinished(() => provider.close());
    const session = provider.session();
    const toolset = withHostTools(undefined, [hostTool('read_file'), hostTool('write_file')]);
    expect((await toolset.execute({ name: 'write_file', arguments: {} }, { session })).isError).toBe(false);
    await session.handleToolCall('load_skill', { skill: 'careful' });
    expect((await toolset.execute({ name: 'read_file', arguments: {} }, { session })).isError).toBe(false);
    expect(codeOf(await toolset.execute({ name: 'write_file', arguments: {} }, { session }))).toBe('ToolRestricted');
  });
});
