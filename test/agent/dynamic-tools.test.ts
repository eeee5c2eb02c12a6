import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createSkillsProvider,
  type SkillsProvider,
} from '../../packages/skillwright/src/faces/provider/skills-provider.ts';
import type { SkillsProviderOptions } from '../../packages/skillwright/src/faces/provider/provider-options.ts';
import { SkillManager, type SkillwrightEvent } from '../../packages/skillwright/src/index.ts';
import type { Sandbox, SandboxTier } from '../../packages/skillwright/src/spec/sandbox.ts';
import { proves } from '../proves.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: calls of tools that models define, because bubblewrap is not installed.');
const staging = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', staging]);
  rmSync(staging, { recursive: true, force: true });
});

const WEATHER = {
  name: 'fetch_weather',
  description: 'Tells the weather.',
  parameters: '{"city": {"type": "string", "description": "Which city."}}',
  code: 'return { city: args.city, sun: true };',
};

async function open(
  options: Partial<SkillsProviderOptions> = {},
): Promise<{ skills: SkillsProvider; root: string; dir: string; events: SkillwrightEvent[] }> {
  const tree = createSkillTree({
    'skills/hand/SKILL.md': '---\nname: hand\ndescription: Written by hand.\n---\nText.\n',
    'skills/hand/tools.json': JSON.stringify([{ name: 'by_hand', description: 'By hand.', script: 'x.mjs' }]),
    'skills/hand/x.mjs': 'export default () => 1;',
  });
  const root = realpathSync(tree.root);
  const dir = join(root, 'defined');
  const events: SkillwrightEvent[] = [];
  const skills = await createSkillsProvider(join(root, 'skills'), {
    cwd: root,
    stagingDir: staging,
    dynamicTools: { dir },
    policy: { execution: 'auto' },
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { skills, root, dir, events };
}

describe('define_tool', () => {
  it('is offered only when the host turns it on, with the parameters of the specification', async () => {
    proves('S1.8.define_tool.params');
    const { skills } = await open();
    const define = skills.tools.find(({ name }) => name === 'define_tool');
    expect(Object.keys(define?.parameters['properties'] ?? {})).toEqual([
      'name',
      'description',
      'parameters',
      'code',
      'persistent',
    ]);
    const without = await open({ dynamicTools: undefined });
    expect(JSON.stringify(without.skills.tools)).not.toContain('define_tool');
    expect(await without.skills.handleToolCall('define_tool', WEATHER)).toMatchObject({ code: 'ToolNotFound' });
  });

  it('says why a tool cannot run here instead of inviting a call', async () => {
    const missing = (tier: SandboxTier): Sandbox => ({
      tier,
      probe: async () => ({ available: false, reason: `no ${tier}`, remedy: `Install ${tier}` }),
      launch: () => Promise.reject(new Error('It is not there.')),
    });
    const { skills } = await open({ sandboxes: [missing('bubblewrap'), missing('container')] });
    const told = await skills.handleToolCall('define_tool', WEATHER);
    expect(told).toBe(
      "Tool 'fetch_weather' is defined for every caller. Do not call it, because it cannot run here: " +
        'The skill is not trusted, and no sandbox is available: no bubblewrap. Install bubblewrap.',
    );
    expect(await skills.handleToolCall('fetch_weather', { city: 'Oslo' })).toMatchObject({
      code: 'RequirementsMissing',
      started: false,
      error:
        "RequirementsMissing: Skill 'fetch-weather' is not trusted and needs more isolation than is available here. " +
        'Tier bubblewrap is not available: no bubblewrap. Install bubblewrap. ' +
        'Tier container is not available: no container. Install container.',
    });
    await skills.close();
  });

  it.skipIf(!hasBubblewrap)('invites a call of a tool that needs approval only if somebody can be asked', async () => {
    const { skills } = await open({ policy: { execution: 'hybrid' } });
    const told = await skills.handleToolCall('define_tool', WEATHER);
    expect(told).toMatch(/Do not call it, because it cannot run here: .* needs a person's approval/);
    await skills.close();
    const asking = await open({ policy: { execution: 'hybrid' }, approve: () => 'deny' });
    expect(await asking.skills.handleToolCall('define_tool', WEATHER)).toMatch(/ Call it as fetch_weather\.$/);
    await asking.skills.close();
  });

  it.skipIf(!hasBubblewrap)('runs the tool in a sandbox for the conversation, and writes nothing to disk', async () => {
    proves('S1.8.define_tool', 'S1.8.define_tool.session');
    const { skills, dir, events } = await open();
    const session = skills.session('a');
    expect(await session.handleToolCall('define_tool', WEATHER)).toContain("Tool 'fetch_weather' is defined");
    expect(await session.handleToolCall('fetch_weather', { city: 'Oslo' })).toEqual({ city: 'Oslo', sun: true });
    expect(await session.handleToolCall('fetch_weather', {})).toMatchObject({
      error: expect.stringContaining("'city' is missing") as string,
    });
    expect(JSON.stringify(session.toolsFor('openai-chat'))).toContain('fetch_weather');
    expect(events.filter((event) => event.type === 'execution-start').map(({ tier }) => tier)).toContain('bubblewrap');
    expect(existsSync(dir)).toBe(false);
    expect(await skills.session('b').handleToolCall('fetch_weather', { city: 'Oslo' })).toMatchObject({
      code: 'ToolNotFound',
    });
    expect(JSON.stringify(skills.tools)).not.toContain('fetch_weather');
    await skills.close();
  });

  it.skipIf(!hasBubblewrap)('saves a persistent tool as an untrusted skill that is found again', async () => {
    proves('S1.8.persist.name', 'S1.8.persist.dir', 'S1.8.persist.skill-md', 'S1.8.persist.tools-json');
    proves('S1.8.persist.script', 'S1.8.persist.same-format');
    const { skills, root, dir } = await open();
    await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' });
    expect(readdirSync(join(dir, 'fetch-weather')).sort()).toEqual([
      '.skillwright.json',
      'SKILL.md',
      'scripts',
      'tools.json',
    ]);
    expect(readFileSync(join(dir, 'fetch-weather/scripts/fetch_weather.js'), 'utf8')).toBe(
      'export default async function handler(args) {\nreturn { city: args.city, sun: true };\n}\n',
    );
    expect(await skills.handleToolCall('fetch_weather', { city: 'Rome' })).toEqual({ city: 'Rome', sun: true });
    await skills.close();

    const events: SkillwrightEvent[] = [];
    const later = new SkillManager({
      projectSkillDir: dir,
      stagingDir: staging,
      onEvent: (event) => events.push(event),
    });
    expect(later.getSkill('fetch-weather')).toMatchObject({ trust: 'untrusted', description: 'Tells the weather.' });
    expect((await later.callTool('fetch_weather', { city: 'Bern' })).value).toEqual({ city: 'Bern', sun: true });
    expect(events.find((event) => event.type === 'execution-start')).toMatchObject({ tier: 'bubblewrap' });
    await later.close();

    const again = await createSkillsProvider(join(root, 'skills'), {
      stagingDir: staging,
      dynamicTools: { dir },
      policy: { execution: 'auto' },
    });
    expect(await again.handleToolCall('fetch_weather', { city: 'Wien' })).toEqual({ city: 'Wien', sun: true });
    await again.close();
  });

  it.each<[object, string]>([
    [{ name: 'Bad Name' }, 'is not a valid tool name'],
    [{ name: '../up' }, 'is not a valid tool name'],
    [{ name: 'constructor__proto__'.repeat(9) }, 'is not a valid tool name'],
    [{ name: 'load_skill' }, 'taken by a built-in tool'],
    [{ name: 'define_tool' }, 'taken by a built-in tool'],
    [{ name: 'by_hand' }, "taken by a tool of skill 'hand'"],
    [{ description: '  ' }, 'description is empty'],
    [{ parameters: '{"city": ' }, "'parameters' must be a JSON object"],
    [{ parameters: '[1]' }, "'parameters' must be a JSON object"],
    [{ parameters: '{"city": 5}' }, 'parameters are invalid'],
    [{ code: 'return {' }, 'not the body of a JavaScript function'],
    [{ code: '} evil(); {' }, 'not the body of a JavaScript function'],
    [{ code: undefined }, "'code' is missing"],
    [{ persistent: 1 }, "'persistent' must be string"],
    [{ parameters: 5 }, "'parameters' must be string"],
  ])('refuses %j and leaves the disk unchanged', async (change, words) => {
    const { skills, dir, root } = await open();
    const before = readdirSync(root);
    const result = await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true', ...change });
    expect(result).toMatchObject({ success: false, code: 'InvalidArguments' });
    expect((result as { error: string }).error).toContain(words);
    expect([existsSync(dir), readdirSync(root)]).toEqual([false, before]);
  });

  it('never overwrites an existing tool or skill', async () => {
    const { skills, dir } = await open();
    await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' });
    const before = readFileSync(join(dir, 'fetch-weather/tools.json'), 'utf8');
    expect(
      await skills.handleToolCall('define_tool', { ...WEATHER, description: 'Other.', persistent: 'true' }),
    ).toMatchObject({
      success: false,
    });
    const other = await open({ dynamicTools: { dir } });
    expect(await other.skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' })).toMatchObject({
      success: false,
    });
    expect(readFileSync(join(dir, 'fetch-weather/tools.json'), 'utf8')).toBe(before);
    expect(readdirSync(dir)).toEqual(['fetch-weather']);
  });

  it('reports that persistent tools cannot be saved', async () => {
    const { skills, root } = await open({ dynamicTools: {} });
    expect(await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' })).toMatchObject({
      code: 'Disabled',
    });
    writeFileSync(join(root, 'file'), '');
    const blocked = await open({ dynamicTools: { dir: join(root, 'file', 'sub') } });
    const result = await blocked.skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' });
    expect(result).toMatchObject({
      code: 'ExecutionFailed',
      error: expect.stringContaining('could not be saved') as string,
    });
  });
});

describe('remove_tool', () => {
  it('removes a defined tool, whether it was saved or not', async () => {
    proves('S1.8.remove_tool');
    const { skills, dir } = await open();
    await skills.handleToolCall('define_tool', WEATHER);
    expect(await skills.handleToolCall('remove_tool', { name: 'fetch_weather' })).toContain('is removed');
    expect(await skills.handleToolCall('fetch_weather', { city: 'x' })).toMatchObject({ code: 'ToolNotFound' });
    await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' });
    expect(await skills.handleToolCall('remove_tool', { name: 'fetch_weather' })).toContain('is removed');
    expect(readdirSync(dir)).toEqual([]);
    await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' });
    const later = await open({ dynamicTools: { dir } });
    expect(await later.skills.handleToolCall('remove_tool', { name: 'fetch_weather' })).toContain('is removed');
    expect(readdirSync(dir)).toEqual([]);
  });

  it.each(['load_skill', 'define_tool', 'by_hand'])('leaves the tool %s alone', async (name) => {
    proves('S1.8.remove_tool.protected');
    const { skills, root } = await open();
    expect(await skills.handleToolCall('remove_tool', { name })).toMatchObject({ code: 'Disabled' });
    expect(existsSync(join(root, 'skills/hand/x.mjs'))).toBe(true);
  });

  it.each(['../skills/hand', 'hand', '', '/', 'nothing'])('reports that there is no tool %j', async (name) => {
    const { skills, root } = await open();
    expect(await skills.handleToolCall('remove_tool', { name })).toMatchObject({ code: 'ToolNotFound' });
    expect(existsSync(join(root, 'skills/hand/x.mjs'))).toBe(true);
  });

  it.each<[string, (skill: string) => void]>([
    ['edited', (skill) => writeFileSync(join(skill, 'scripts/fetch_weather.js'), 'export default () => 2;')],
    ['added to', (skill) => writeFileSync(join(skill, 'notes.md'), 'mine')],
  ])('keeps a tool whose skill a person has %s', async (_what, change) => {
    const { skills, dir } = await open();
    await skills.handleToolCall('define_tool', { ...WEATHER, persistent: 'true' });
    change(join(dir, 'fetch-weather'));
    expect(await skills.handleToolCall('remove_tool', { name: 'fetch_weather' })).toMatchObject({
      code: 'ExecutionFailed',
      error: expect.stringContaining('A person has to remove it') as string,
    });
    expect(existsSync(join(dir, 'fetch-weather/SKILL.md'))).toBe(true);
  });
});

const TWICE = { name: 'twice', description: 'Doubles.', code: 'return 2;', persistent: 'true' };
const offered = (from: Pick<SkillsProvider, 'tools'>, name = 'twice'): number =>
  from.tools.filter((tool) => tool.name === name).length;

describe('a tool that is saved', () => {
  it('belongs to its conversation until the next discovery', async () => {
    const { skills } = await open();
    const [own, other] = [skills.session('own'), skills.session('other')];
    expect(await own.handleToolCall('define_tool', TWICE)).toContain('for this conversation and saved as skill');
    expect([offered(own), offered(other), offered(skills), offered(skills.session())]).toEqual([1, 0, 0, 0]);
    expect([own.handles('twice'), other.handles('twice')]).toEqual([true, false]);
    expect(await other.handleToolCall('twice', {})).toMatchObject({ code: 'ToolNotFound' });
    expect(await other.handleToolCall('remove_tool', { name: 'twice' })).toMatchObject({ code: 'ToolNotFound' });
    await skills.refresh();
    expect([offered(own), offered(other), offered(skills), offered(skills.session())]).toEqual([1, 0, 1, 1]);
  });

  it.each(['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const)(
    'is offered once after a refresh in %s, with a session or without',
    async (format) => {
      const { skills } = await open();
      await skills.handleToolCall('define_tool', TWICE);
      await skills.refresh();
      for (const from of [skills, skills.session()])
        expect(JSON.stringify(from.toolsFor(format)).split('"name":"twice"')).toHaveLength(2);
    },
  );

  it('is gone from new conversations once removed, while older ones keep their list', async () => {
    const { skills, dir } = await open();
    await skills.session().handleToolCall('define_tool', TWICE);
    await skills.refresh();
    const [own, other] = [skills.session('own'), skills.session('other')];
    const before = JSON.stringify(other.tools);
    expect(await own.handleToolCall('remove_tool', { name: 'twice' })).toContain('is removed');
    expect(readdirSync(dir)).toEqual([]);
    expect([offered(own), offered(skills), offered(skills.session())]).toEqual([0, 0, 0]);
    expect(JSON.stringify(other.tools)).toBe(before);
    for (const session of [own, other, skills.session()])
      expect(await session.handleToolCall('twice', {})).toMatchObject({ code: 'ToolNotFound' });
    expect(await skills.handleToolCall('load_skill', { skill: 'twice' })).toMatchObject({ code: 'SkillNotFound' });
    expect(skills.session().systemPrompt).not.toContain('### twice');
    expect(await own.handleToolCall('define_tool', TWICE)).toContain('is defined');
    expect([offered(own), offered(skills)]).toEqual([1, 0]);
    await skills.refresh();
    expect(offered(skills)).toBe(1);
  });
});

describe('a definition', () => {
  it.skipIf(!hasBubblewrap)('may pass its parameters as an object, and persistent as a boolean', async () => {
    const { skills, dir } = await open();
    const session = skills.session();
    const parameters = { city: { type: 'string', description: 'Which city.' } };
    await session.handleToolCall('define_tool', { ...WEATHER, parameters, persistent: false });
    expect(await session.handleToolCall('fetch_weather', { city: 'Oslo' })).toEqual({ city: 'Oslo', sun: true });
    expect(existsSync(dir)).toBe(false);
    await session.handleToolCall('define_tool', { ...TWICE, persistent: true });
    expect(readdirSync(dir)).toEqual(['twice']);
    await skills.close();
  });

  it('returns the skill of the new tool, and the tool is suggested when a call mistypes its name', async () => {
    const { skills } = await open();
    expect(await skills.handleToolCall('define_tool', WEATHER)).toContain('for every caller');
    const session = skills.session();
    expect(await session.handleToolCall('define_tool', { ...TWICE, persistent: 'false' })).toContain(
      'for this conversation.',
    );
    const { text } = await session.execute('twize', {});
    expect(text).toContain("Did you mean 'twice'?");
    for (const name of ['load_skill', 'by_hand', 'define_tool', 'remove_tool', 'fetch_weather', 'twice'])
      expect(text).toContain(`'${name}'`);
  });

  it('is refused when the limit on tools is reached', async () => {
    const { skills } = await open({ maxTools: 1 });
    const session = skills.session();
    let last: unknown;
    for (let count = 0; count < 30; count += 1)
      last = await session.handleToolCall('define_tool', { ...WEATHER, name: `tool_${count}` });
    expect(last).toMatchObject({
      code: 'InvalidArguments',
      error: expect.stringContaining('which is the limit') as string,
    });
    expect(session.tools).toHaveLength(21);
    expect(await session.handleToolCall('define_tool', { ...WEATHER, name: 'tool_0' })).toContain('is defined');
  });

  it("does not clash with a skill's tool that has the name of a built-in one", async () => {
    const { skills, root } = await open();
    writeFileSync(
      join(root, 'skills/hand/tools.json'),
      JSON.stringify([{ name: 'define_tool', description: 'By hand.', script: 'x.mjs' }]),
    );
    await skills.refresh();
    expect([offered(skills, 'define_tool'), offered(skills, 'hand__define_tool')]).toEqual([1, 1]);
  });
});
