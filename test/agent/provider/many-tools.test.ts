import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSkillsProvider,
  runAgent,
  type Logger,
  type SkillsProvider,
  type SkillsProviderOptions,
  type TraceEvent,
} from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import { createScriptedModel, type ScriptedTurn } from '../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../../support/skill-tree.ts';
import { talk } from '../wire-conversation.ts';

/** Skills with one tool each, which returns its number and its argument. */
function crowd(count: number): TreeFiles {
  const files: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(3, '0');
    const folder = `skills/skill-${number}`;
    const description = `Handles all that is to be handled in case number ${number}, whatever it may be about. `.repeat(
      3,
    );
    files[`${folder}/SKILL.md`] = goodSkill(`skill-${number}`, description);
    files[`${folder}/tools.json`] = JSON.stringify([
      {
        name: `tool_${number}`,
        description: `Tool number ${number}.`,
        script: 'tool.mjs',
        parameters: { word: { type: 'string', description: 'A word.' } },
      },
    ]);
    files[`${folder}/tool.mjs`] = `export default ({ word }) => 'tool ${number} says ' + word;`;
  }
  return files;
}

async function open(files: TreeFiles, options: SkillsProviderOptions = {}): Promise<SkillsProvider> {
  const root = realpathSync(createSkillTree(files).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root, ...options });
  onTestFinished(() => skills.close());
  return skills;
}

/** The skill of most calls below. */
const S = 'skill-003';

const namesOf = (skills: Pick<SkillsProvider, 'tools'>): string[] => skills.tools.map(({ name }) => name);

describe('more skill tools than a provider accepts', () => {
  it('are offered up to a hundred, in a stable order, and the host learns which are withheld', async () => {
    const warnings: string[] = [];
    const logger: Logger = { debug() {}, info() {}, error() {}, warn: (message) => warnings.push(message) };
    const skills = await open(crowd(130), { logger });
    const own = namesOf(skills).filter((name) => name.startsWith('tool_'));
    expect(own).toHaveLength(100);
    expect(own).toEqual(own.toSorted());
    expect(skills.tools.length).toBeLessThan(128);
    expect(namesOf(skills).slice(0, 4)).toEqual(['load_skill', 'use_skill', 'read_skill_file', 'search_skills']);
    expect(skills.withheldTools).toHaveLength(30);
    expect(skills.session().withheldTools).toEqual(skills.withheldTools);
    expect(warnings.join()).toContain('30 skill tools are not offered');
    await skills.refresh();
    expect(namesOf(skills).filter((name) => name.startsWith('tool_'))).toEqual(own);
  });

  it('are called through use_skill, with the schema that load_skill shows', async () => {
    const skills = await open(crowd(4), { maxTools: 2 });
    expect(skills.withheldTools).toEqual(['tool_002', 'tool_003']);
    const text = await skills.handleToolCall('load_skill', { skill: 'skill-003' });
    expect(text).toContain('Tools of this skill, which you call with use_skill:\n- tool_003: Tool number 003.');
    expect(text).toContain('"word":{"type":"string"');
    expect(await skills.handleToolCall('load_skill', { skill: 'skill-001' })).not.toContain('use_skill');
    const call = (tool: string, args: unknown): Promise<unknown> =>
      skills.handleToolCall('use_skill', { skill: 'skill-003', tool, arguments: args });
    expect(await call('tool_003', '{"word":"hi"}')).toBe('tool 003 says hi');
    expect(await call('tool_003', { word: 'object' })).toBe('tool 003 says object');
    expect(await call('skill-003__tool_003', { word: 'long' })).toBe('tool 003 says long');
    expect(await skills.handleToolCall('tool_003', { word: 'direct' })).toBe('tool 003 says direct');
    expect([skills.handles('tool_003'), skills.handles('use_skill')]).toEqual([true, true]);
  });

  it('are called through use_skill, however a model fills the other fields of use_skill', async () => {
    const skills = await open(crowd(4), { maxTools: 2 });
    const call = (args: object): Promise<unknown> =>
      skills.handleToolCall('use_skill', { skill: 'skill_003', tool: 'tool_003', ...args });
    expect(await call({ script: '', args: [], stdin: null, arguments: { word: 'empty' } })).toBe('tool 003 says empty');
    expect(await call({ args: { word: 'args' } })).toBe('tool 003 says args');
    expect(await call({ word: 'flat' })).toBe('tool 003 says flat');
    expect(
      await skills.execute('use_skill', { skill: 'skill-003', tool: 'tool_003', word: 'x', remember: false }),
    ).toMatchObject({ text: 'tool 003 says x', isPassing: true });
  });

  it('are also called through use_skill if they are offered by name', async () => {
    const skills = await open(crowd(2));
    expect(await skills.handleToolCall('use_skill', { skill: 'skill-001', tool: 'tool_001', word: 'x' })).toBe(
      'tool 001 says x',
    );
  });

  it.each<[object, string, string]>([
    [{ skill: S, tool: 'tool_03' }, 'ToolNotFound', "Did you mean 'tool_003'?"],
    [{ skill: S, tool: 'tool_002', word: 'x' }, 'ToolNotFound', "Skill 'skill-003' has no tool 'tool_002'."],
    [{ skill: S, tool: 'tool_003', arguments: '{"word": ' }, 'InvalidArguments', 'not valid JSON'],
    [{ skill: S, tool: 'tool_003', arguments: '[1]' }, 'InvalidArguments', 'must be a JSON object'],
    [{ skill: S, tool: 'tool_003', arguments: [1] }, 'InvalidArguments', 'must be an object'],
    [{ skill: S, tool: 'tool_003', arguments: 7 }, 'InvalidArguments', 'must be an object, not number'],
    [{ skill: S, tool: 'tool_003', arguments: '{"word":7}' }, 'InvalidArguments', "'word' must be string"],
    [{ skill: S, tool: 'tool_003' }, 'InvalidArguments', "'word' is missing"],
    [{ skill: S, tool: 'tool_003', args: ['x'] }, 'InvalidArguments', "'word' is missing"],
    [{ skill: S, tool: 7 }, 'InvalidArguments', "'tool' must be string"],
    [{ skill: 7, tool: 'tool_003' }, 'InvalidArguments', "'skill' must be string"],
    [{ skill: S, arguments: '{}' }, 'InvalidArguments', "'script' is missing"],
    [{ tool: 'tool_003', arguments: '{"word":"x"}' }, 'InvalidArguments', "'skill' is missing"],
    [{ skill: S, tool: 'tool_003', script: 'tool.mjs' }, 'InvalidArguments', "either 'script' or 'tool', not both"],
    [{ skill: 'skill-999', tool: 'tool_003', word: 'x' }, 'SkillNotFound', "Skill 'skill-999' not found"],
    [{ skill: S, tool: 'tool.mjs' }, 'ToolNotFound', "has no tool 'tool.mjs'"],
    [{ skill: S, script: 'tool_003' }, 'ScriptNotFound', "'tool_003' is a tool of the skill, not a script"],
    [{ skill: S, script: 'tool.mjs' }, 'ScriptNotAllowed', "call use_skill with tool 'tool_003'"],
    [{ skill: S, tool: 'use_skill', arguments: { skill: S, tool: 'tool_003' } }, 'ToolNotFound', "no tool 'use_skill'"],
    [{ skill: S, tool: 'load_skill', arguments: { skill: S } }, 'ToolNotFound', "no tool 'load_skill'"],
    [{ skill: S, tool: '__proto__' }, 'ToolNotFound', "no tool '__proto__'"],
    [{ skill: S, tool: 'x'.repeat(100_000) }, 'ToolNotFound', 'has no tool'],
  ])('get an error for the invalid call use_skill(%j)', async (args, code, words) => {
    const skills = await open(crowd(4), { maxTools: 2 });
    const { value, text, isError } = await skills.execute('use_skill', args);
    expect({ isError, value }).toMatchObject({ isError: true, value: { code } });
    expect(text).toContain(words);
    expect(text.length).toBeLessThan(2_000);
  });

  it('are refused, even through use_skill, if the allowed-tools of an active skill do not include them', async () => {
    const narrow = '---\nname: narrow\ndescription: Narrow.\nallowed-tools: Read\n---\nOnly read.\n';
    const skills = await open({ ...crowd(2), 'skills/narrow/SKILL.md': narrow }, { maxTools: 0 });
    const session = skills.session();
    await session.handleToolCall('load_skill', { skill: 'narrow' });
    expect(
      await session.handleToolCall('use_skill', { skill: 'skill-000', tool: 'tool_000', arguments: { word: 'x' } }),
    ).toMatchObject({ code: 'ToolRestricted' });
  });

  it('are refused even if the active skill has a tool of its own with the same name', async () => {
    const manifest = JSON.stringify([{ name: 'tool_000', description: 'Its own.', script: 'own.mjs' }]);
    const files = {
      'skills/skill-999/SKILL.md': '---\nname: skill-999\ndescription: Narrow.\nallowed-tools: Read\n---\nOnly read.\n',
      'skills/skill-999/tools.json': manifest,
      'skills/skill-999/own.mjs': "export default () => 'own';",
    };
    const skills = await open({ ...crowd(1), ...files }, { maxTools: 0 });
    const session = skills.session();
    await session.handleToolCall('load_skill', { skill: 'skill-999' });
    const restricted = { code: 'ToolRestricted' };
    const other = { skill: 'skill-000', tool: 'tool_000', arguments: { word: 'x' } };
    expect(await session.handleToolCall('use_skill', other)).toMatchObject(restricted);
    expect(await session.handleToolCall('tool_000', { word: 'x' })).toMatchObject(restricted);
    expect(await session.handleToolCall('use_skill', { skill: 'skill-999', tool: 'tool_000' })).toBe('own');
    expect(await session.handleToolCall('skill-999__tool_000', {})).toBe('own');
  });

  it('fail through use_skill with the guidance for the tool itself, and count as failures of that tool', async () => {
    const guide =
      '---\nname: guide\ndescription: Helps with failed calls.\ntriggers: [tool_call_error]\n---\n\n' +
      '## tool_002\n\n```json\n{ "tool_name": "tool_002", "arguments": { "word": "guided" } }\n```\n';
    const skills = await open({ ...crowd(3), 'skills/guide/SKILL.md': guide }, { maxTools: 1 });
    const using = (args: object): ScriptedTurn => ({
      calls: [{ name: 'use_skill', arguments: { skill: 'skill-002', tool: 'tool_002', ...args } }],
    });
    const script = [using({}), using({ arguments: '{"word":"right"}' }), { text: 'Done.' }];
    const model = await createScriptedModel({ script });
    onTestFinished(() => model.close());
    const traces: TraceEvent[] = [];
    const { text } = await runAgent({
      model: { format: 'openai-chat', model: 'any', apiKey: 'key', baseUrl: model.baseUrl('openai-chat') },
      input: 'Go.',
      skills,
      onTrace: (event) => traces.push(event),
    });
    expect(text).toBe('Done.');
    const [failed, ran] = model.requests.slice(1).map(({ conversation }) => conversation?.results.at(-1)?.text ?? '');
    expect(failed).toContain("Tool call to tool_002 failed because the 'word' parameter is missing.");
    expect(failed).toContain('guided');
    expect(ran).toBe('tool 002 says right');
    const errors = traces.filter((event) => event.type === 'tool_error');
    expect(errors.map(({ data }) => data)).toMatchObject([
      { toolName: 'tool_002', guidedBy: 'guide', isRetrySafe: true },
    ]);
  });

  it.each(WIRE_FORMATS)('make a valid request and a valid call in %s', async (format) => {
    const skills = await open(crowd(3), { maxTools: 1 });
    const call = { name: 'use_skill', arguments: { skill: 'skill-002', tool: 'tool_002', arguments: '{"word":"ok"}' } };
    const model = await createScriptedModel({ script: [{ calls: [call] }, { text: 'Done.' }] });
    onTestFinished(() => model.close());
    const { turn } = await talk(model, { format, stream: true, session: skills.session(), input: 'Go.' });
    expect(turn.text).toBe('Done.');
    expect(model.requests[1]?.conversation?.results[0]?.text).toBe('tool 002 says ok');
    expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});

describe('a provider with a limited listing', () => {
  it('offers search_skills if descriptions do not fit, and the prompt says so', async () => {
    const skills = await open(crowd(100));
    expect(skills.systemPrompt).toContain(
      'Some skills are listed by name only: find those that fit with search_skills.',
    );
    expect(skills.systemPrompt.match(/^### /gm)).toHaveLength(100);
    expect(namesOf(skills)).toContain('search_skills');
    expect(skills.handles('search_skills')).toBe(true);
  });

  it('does not offer search_skills if every skill is described', async () => {
    const skills = await open(crowd(3));
    expect(namesOf(skills)).not.toContain('search_skills');
    expect([skills.handles('search_skills'), skills.handles('use_skill')]).toEqual([false, false]);
  });
});

describe('handles', () => {
  it('returns false for tools that are not offered', async () => {
    const none = await open({ 'skills/': '' });
    expect(['load_skill', 'use_skill', 'read_skill_file'].map((name) => none.handles(name))).toEqual([
      false,
      false,
      false,
    ]);
    const skills = await open(crowd(1));
    expect(['load_skill', 'use_skill', 'define_tool', 'tool_000'].map((name) => skills.handles(name))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('returns true for qualified and versioned tool names', async () => {
    const skills = await open(crowd(1));
    const names = ['skill-000__tool_000', 'tool_000@1.0.0', 'skill-000__nothing', 'nothing__tool_000', '__', ''];
    expect(names.map((name) => skills.handles(name))).toEqual([true, true, false, false, false, false]);
    expect(await skills.handleToolCall('tool_000@1.0.0', { word: 'v' })).toBe('tool 000 says v');
  });
});

it('changes to a returned list of tools do not affect the next list', async () => {
  const skills = await open(crowd(2));
  const before = JSON.stringify(skills.toolsFor('gemini'));
  skills.toolsFor('gemini')[0]?.functionDeclarations.pop();
  Object.assign(skills.toolsFor('anthropic')[0] ?? {}, { cache_control: { type: 'ephemeral' } });
  skills.tools.length = 0;
  expect(JSON.stringify(skills.toolsFor('gemini'))).toBe(before);
  expect(JSON.stringify(skills.toolsFor('anthropic'))).not.toContain('cache_control');
  expect(skills.tools).toHaveLength(4);
  expect(skills.sdkTools[0]?.function.inputSchema).toBe(skills.sdkTools[0]?.function.inputSchema);
});
