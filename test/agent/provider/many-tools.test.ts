import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSkillsProvider,
  type Logger,
  type SkillsProvider,
  type SkillsProviderOptions,
} from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import { createScriptedModel } from '../../../packages/skillwright/src/testing/index.ts';
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
    expect(namesOf(skills).slice(0, 4)).toEqual(['load_skill', 'read_skill_file', 'search_skills', 'call_skill_tool']);
    expect(skills.withheldTools).toHaveLength(30);
    expect(skills.session().withheldTools).toEqual(skills.withheldTools);
    expect(warnings.join()).toContain('30 skill tools are not offered');
    await skills.refresh();
    expect(namesOf(skills).filter((name) => name.startsWith('tool_'))).toEqual(own);
  });

  it('are called through call_skill_tool, with the schema that load_skill shows', async () => {
    const skills = await open(crowd(4), { maxTools: 2 });
    expect(skills.withheldTools).toEqual(['tool_002', 'tool_003']);
    const text = await skills.handleToolCall('load_skill', { skill: 'skill-003' });
    expect(text).toContain('Tools of this skill, which you call with call_skill_tool:\n- tool_003: Tool number 003.');
    expect(text).toContain('"word":{"type":"string"');
    expect(await skills.handleToolCall('load_skill', { skill: 'skill-001' })).not.toContain('call_skill_tool');
    const call = (args: object): Promise<unknown> => skills.handleToolCall('call_skill_tool', args);
    expect(await call({ tool: 'tool_003', arguments: '{"word":"hi"}' })).toBe('tool 003 says hi');
    expect(await call({ tool: 'tool_003', arguments: { word: 'object' } })).toBe('tool 003 says object');
    expect(await call({ tool: 'skill-003__tool_003', arguments: { word: 'long' } })).toBe('tool 003 says long');
    expect(await skills.handleToolCall('tool_003', { word: 'direct' })).toBe('tool 003 says direct');
    expect([skills.handles('tool_003'), skills.handles('call_skill_tool')]).toEqual([true, true]);
  });

  it.each<[object, string, string]>([
    [{ tool: 'tool_03' }, 'ToolNotFound', "Did you mean 'tool_003'?"],
    [{ tool: 'tool_003', arguments: '{"word": ' }, 'InvalidArguments', 'not valid JSON'],
    [{ tool: 'tool_003', arguments: '[1]' }, 'InvalidArguments', 'must be a JSON object'],
    [{ tool: 'tool_003' }, 'InvalidArguments', "'word' is missing"],
    [{ arguments: '{}' }, 'InvalidArguments', "'tool' is missing"],
    [{ tool: 'call_skill_tool' }, 'ToolNotFound', 'not found'],
  ])('returns an error for call_skill_tool(%j)', async (args, code, words) => {
    const skills = await open(crowd(4), { maxTools: 2 });
    const { value, text, isError } = await skills.execute('call_skill_tool', args);
    expect({ isError, value }).toMatchObject({ isError: true, value: { code } });
    expect(text).toContain(words);
  });

  it('are restricted to the tools of active skills, even through call_skill_tool', async () => {
    const narrow = '---\nname: narrow\ndescription: Narrow.\nallowed-tools: Read\n---\nOnly read.\n';
    const skills = await open({ ...crowd(2), 'skills/narrow/SKILL.md': narrow }, { maxTools: 0 });
    const session = skills.session();
    await session.handleToolCall('load_skill', { skill: 'narrow' });
    expect(
      await session.handleToolCall('call_skill_tool', { tool: 'tool_000', arguments: { word: 'x' } }),
    ).toMatchObject({ code: 'ToolRestricted' });
  });

  it.each(WIRE_FORMATS)('make a valid request and a valid call in %s', async (format) => {
    const skills = await open(crowd(3), { maxTools: 1 });
    const call = { name: 'call_skill_tool', arguments: { tool: 'tool_002', arguments: '{"word":"ok"}' } };
    const model = await createScriptedModel({ script: [{ calls: [call] }, { text: 'Done.' }] });
    onTestFinished(() => model.close());
    const { turn } = await talk(model, { format, stream: true, session: skills.session(), input: 'Go.' });
    expect(turn.text).toBe('Done.');
    expect(model.requests[1]?.conversation?.results[0]?.text).toBe('tool 002 says ok');
    expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});

describe('a listing that had to drop descriptions', () => {
  it('offers search_skills, and the prompt says so', async () => {
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
    expect([skills.handles('search_skills'), skills.handles('call_skill_tool')]).toEqual([false, false]);
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

it('encodes tools again instead of returning a modified list', async () => {
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
