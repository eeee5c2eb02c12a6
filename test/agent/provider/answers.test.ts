import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSkillsProvider, type SkillsProvider } from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import { createScriptedModel } from '../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../../support/skill-tree.ts';
import { talk } from '../wire-conversation.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function open(files: TreeFiles): Promise<SkillsProvider> {
  const root = realpathSync(createSkillTree(files).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root });
  onTestFinished(() => skills.close());
  return skills;
}

/** A skill with a tool `answer` that returns this value. */
function answering(expression: string): TreeFiles {
  return {
    'skills/box/SKILL.md': goodSkill('box'),
    'skills/box/tools.json': JSON.stringify([{ name: 'answer', description: 'Answers.', script: 'answer.mjs' }]),
    'skills/box/answer.mjs': `export default () => (${expression});`,
  };
}

const SCRIPTS = {
  'skills/run/SKILL.md': goodSkill('run'),
  'skills/run/tools.json': JSON.stringify([
    {
      name: 'weather',
      description: 'Weather.',
      script: 'scripts/weather.mjs',
      parameters: { city: { type: 'string' } },
    },
    { name: 'broken', description: 'Has no file.', script: 'scripts/gone.mjs' },
  ]),
  'skills/run/scripts/weather.mjs': 'export default ({ city }) => { throw new Error(`no weather in ${city}`); };',
  'skills/run/scripts/send.mjs': "console.log('sent', ...process.argv.slice(2));",
  'skills/run/scripts/a/same.sh': 'echo a',
  'skills/run/scripts/b/same.sh': 'echo b',
  'skills/run/quiet.sh': 'true',
  'skills/run/fail.sh': 'echo half; echo broken >&2; exit 3',
  'skills/run/references/limits.md': 'At most ten.\n',
};

describe('the text of a script run', () => {
  it('omits empty fields and is the same each time', async () => {
    const skills = await open(SCRIPTS);
    const use = (script: string, args?: string[]) => skills.execute('use_skill', { skill: 'run', script, args });
    const [first, second] = [await use('scripts/send.mjs', ['a']), await use('scripts/send.mjs', ['a'])];
    expect(first.text).toBe('{"stdout":"sent a\\n"}');
    expect(second.text).toBe(first.text);
    expect(first.value).toMatchObject({ success: true, stdout: 'sent a\n', stderr: '', exitCode: 0 });
    expect(first.value).toBe(first.execution);
    expect((await use('quiet.sh')).text).toBe('{"success":true}');
    expect(JSON.parse((await use('fail.sh')).text)).toEqual({
      error: expect.stringMatching(/^ExecutionFailed: /) as string,
      exitCode: 3,
      stdout: 'half\n',
      stderr: 'broken\n',
    });
  });

  it('reports a refused call with its error only', async () => {
    const skills = await open(SCRIPTS);
    const { text, value } = await skills.execute('load_skill', {});
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['error']);
    expect(value).toMatchObject({ success: false, stdout: '', code: 'InvalidArguments' });
  });
});

describe('a requested script', () => {
  it('is found by its file name if only one file has it', async () => {
    const skills = await open(SCRIPTS);
    const use = (script: string): Promise<unknown> => skills.handleToolCall('use_skill', { skill: 'run', script });
    expect(await use('send.mjs')).toMatchObject({ success: true, stdout: 'sent\n' });
    expect(await use('same.sh')).toMatchObject({
      code: 'ScriptNotFound',
      error: expect.stringContaining('scripts/a/same.sh') as string,
    });
  });

  it.each(['snd.mjs', 'scripts/sned.mjs', 'script/send.mjs', 'bin/send.mjs'])(
    'is suggested for the misspelled %s',
    async (script) => {
      const skills = await open(SCRIPTS);
      const result = await skills.handleToolCall('use_skill', { skill: 'run', script });
      expect(result).toMatchObject({ code: 'ScriptNotFound' });
      expect(result.error).toContain("Did you mean 'scripts/send.mjs'?");
      expect(result.error).not.toContain('weather.mjs');
    },
  );

  it.each(['scripts/weather.mjs', './scripts/weather.mjs', 'weather.mjs'])(
    "is answered with the name of the tool if it is a tool's handler: %s",
    async (script) => {
      const skills = await open(SCRIPTS);
      expect(await skills.handleToolCall('use_skill', { skill: 'run', script })).toMatchObject({
        success: false,
        code: 'ScriptNotAllowed',
        error: expect.stringContaining('call weather with its arguments') as string,
      });
    },
  );

  it("is not offered if the skill's only script is the handler of a tool", async () => {
    const skills = await open(answering('1'));
    expect(JSON.stringify([skills.systemPrompt, skills.tools])).not.toContain('use_skill');
  });
});

describe('a requested file', () => {
  it('is found by its file name, or suggested', async () => {
    const skills = await open(SCRIPTS);
    const read = (path: string): Promise<unknown> => skills.handleToolCall('read_skill_file', { skill: 'run', path });
    expect(await read('limits.md')).toBe('At most ten.\n');
    for (const path of ['references/limts.md', 'limts.md', 'reference/limits.md'])
      expect(await read(path)).toMatchObject({
        code: 'InvalidArguments',
        error: expect.stringContaining("Did you mean 'references/limits.md'?") as string,
      });
  });
});

describe('a requested skill', () => {
  it.each(['Run', ' run ', 'RUN'])('is found by the name %j', async (skill) => {
    const skills = await open(SCRIPTS);
    expect(await skills.handleToolCall('load_skill', { skill })).toContain('Do as asked');
  });
});

describe('a tool of a skill', () => {
  it('returns a coded result for a call that does not reach its handler', async () => {
    const skills = await open(SCRIPTS);
    for (const args of [{}, { city: 5 }, 'no JSON']) {
      const { value, isError } = await skills.execute('weather', args);
      expect({ value, isError }).toMatchObject({ isError: true, value: { success: false, code: 'InvalidArguments' } });
    }
  });

  it('returns the error that its handler threw', async () => {
    const skills = await open(SCRIPTS);
    const { value, text, isError } = await skills.execute('weather', { city: 'Oslo' });
    expect([value, text, isError]).toEqual([{ error: 'no weather in Oslo' }, '{"error":"no weather in Oslo"}', true]);
  });

  it('is not offered if its script is missing', async () => {
    const skills = await open(SCRIPTS);
    expect(skills.diagnostics.map(({ code }) => code)).toContain('tool-script-missing');
    expect(skills.tools.map(({ name }) => name)).not.toContain('broken');
    expect([skills.handles('broken'), skills.handles('run__broken')]).toEqual([false, false]);
    expect(await skills.handleToolCall('broken', {})).toMatchObject({ success: false, code: 'ScriptNotFound' });
  });

  it('returns its printed output if the script only prints', async () => {
    const skills = await open(answering("(console.log('printed'), undefined)"));
    expect(await skills.execute('answer', {})).toMatchObject({ value: null, text: 'printed\n', isError: false });
  });

  it('gets an error with a list of all tools if the tool does not exist', async () => {
    const skills = await open(SCRIPTS);
    const { text } = await skills.execute('wether', {});
    expect(text).toContain("Did you mean 'weather'?");
    expect(text).toContain("'load_skill'");
  });

  it('shows every argument in the example of a correct call', async () => {
    const skills = await open(SCRIPTS);
    const { text } = await skills.execute('use_skill', { skill: 'run', script: 'send.mjs', args: 'a b' });
    expect(text).toContain(JSON.stringify('use_skill({"skill":"…","script":"…","args":[]})').slice(1, -1));
  });
});

describe('a tool that returns media', () => {
  const IMAGE = { type: 'image', mimeType: 'image/png', data: PIXEL };
  const answer = async (value: unknown) => (await open(answering(JSON.stringify(value)))).execute('answer', {});

  it.each<[string, unknown, readonly unknown[]]>([
    ['an image by itself', IMAGE, [IMAGE]],
    [
      "a result in MCP's shape",
      { content: [{ type: 'text', text: 'See:' }, IMAGE] },
      [{ type: 'text', text: 'See:' }, IMAGE],
    ],
    [
      'a file',
      { content: [{ type: 'file', mimeType: 'application/pdf', data: 'AAAA' }] },
      [{ type: 'file', mimeType: 'application/pdf', data: 'AAAA' }],
    ],
    [
      'a resource of text',
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'T' } }] },
      [{ type: 'text', text: 'T' }],
    ],
    [
      'a resource of bytes',
      { content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'AAAA' } }] },
      [{ type: 'file', mimeType: 'application/octet-stream', data: 'AAAA' }],
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'https://example.org/' }] },
      [{ type: 'text', text: 'https://example.org/' }],
    ],
  ])('returns content for %s', async (_what, value, content) => {
    const outcome = await answer(value);
    expect(outcome).toMatchObject({ value, content, isError: false });
    expect(outcome.text).not.toContain(PIXEL);
  });

  it('is a failed call if it sets isError', async () => {
    const said = { content: [{ type: 'text', text: 'No.' }], isError: true };
    expect(await answer(said)).toMatchObject({ value: said, text: 'No.', isError: true });
  });

  it.each<[string, unknown]>([
    ['a list of anything', { content: [1, 'two'] }],
    ['an empty list', { content: [] }],
    ['content with another field beside it', { content: [{ type: 'text', text: 'x' }], title: 'A page' }],
    ['an unknown type', { content: [{ type: 'video', mimeType: 'video/mp4', data: 'AAAA' }] }],
    ['data that is not base64', { type: 'image', mimeType: 'image/png', data: '<svg onload=x>' }],
    ['an invalid type', { type: 'image', mimeType: 'image/png\r\nx: y', data: 'AAAA' }],
    ['a text that is not a string', { content: [{ type: 'text', text: 5 }] }],
    ['a list in place of a resource', { content: [{ type: 'resource', resource: [] }] }],
  ])('returns plain JSON for %s', async (_what, value) => {
    const outcome = await answer(value);
    expect(outcome).toMatchObject({ value, text: JSON.stringify(value), isError: false });
    expect(outcome.content).toHaveLength(1);
  });

  it.each(WIRE_FORMATS)('leaves a valid history in %s', async (format) => {
    const skills = await open(answering(JSON.stringify({ content: [{ type: 'text', text: 'See:' }, IMAGE] })));
    const model = await createScriptedModel({ script: [{ calls: [{ name: 'answer' }] }, { text: 'Done.' }] });
    onTestFinished(() => model.close());
    const { turn } = await talk(model, { format, stream: false, session: skills.session(), input: 'Go.' });
    expect(turn.text).toBe('Done.');
    expect(model.requests[1]?.refusal).toBeUndefined();
    expect(model.requests[1]?.conversation?.results[0]?.text).toContain('See:');
    // Chat completions take none, and Gemini's models before the third neither.
    if (format === 'anthropic-messages' || format === 'openai-responses')
      expect(JSON.stringify(model.requests[1]?.body)).toContain(PIXEL.slice(0, 20));
  });

  it('can return the media through the tools of the SDK', async () => {
    const skills = await open(answering(JSON.stringify({ content: [{ type: 'text', text: 'See:' }, IMAGE] })));
    const tool = skills.sdkTools.find((candidate) => candidate.function.name === 'answer');
    const output = await tool?.function.execute({});
    expect(tool?.function.toModelOutput({ output })).toEqual({
      type: 'content',
      value: [
        { type: 'input_text', text: 'See:' },
        { type: 'input_image', detail: 'auto', imageUrl: `data:image/png;base64,${PIXEL}` },
      ],
    });
    const [load] = skills.sdkTools;
    expect(load?.function.toModelOutput({ output: 'one\ntwo' }).value).toEqual([
      { type: 'input_text', text: 'one\ntwo' },
    ]);
  });
});

it('a call returns an error once the provider is closed', async () => {
  const skills = await open(SCRIPTS);
  await skills.close();
  for (const name of ['load_skill', 'use_skill', 'weather', 'nothing'])
    expect(await skills.handleToolCall(name, { skill: 'run', script: 'send.mjs' })).toMatchObject({
      success: false,
      code: 'Disabled',
      error: expect.stringContaining('closed') as string,
    });
});
