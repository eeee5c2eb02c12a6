import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  createSkillsProvider,
  type SkillsProvider,
} from '../../../packages/skillwright/src/faces/provider/skills-provider.ts';
import type { SkillsProviderOptions } from '../../../packages/skillwright/src/faces/provider/provider-options.ts';
import { proves } from '../../proves.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../../support/skill-tree.ts';

const SEED = fileURLToPath(new URL('../../fixtures/seed-000/skills', import.meta.url));

interface Result {
  readonly success: boolean;
  readonly stdout: string;
  readonly code?: string;
  readonly error?: string;
}

async function open(
  files: TreeFiles,
  options: SkillsProviderOptions = {},
): Promise<{ skills: SkillsProvider; root: string }> {
  const tree = createSkillTree(files);
  const root = realpathSync(tree.root);
  return { skills: await createSkillsProvider(join(root, 'skills'), { cwd: root, ...options }), root };
}

const TOOLBOX = {
  'skills/box/SKILL.md': '---\nname: box\ndescription: Has tools.\n---\nCall them.\n',
  'skills/box/tools.json': JSON.stringify([
    {
      name: 'shout',
      description: 'Shouts.',
      script: 'shout.mjs',
      parameters: { text: { type: 'string', description: 'What.' } },
    },
    { name: 'stub', description: 'Has no script.' },
    { name: 'load_skill', description: 'Has the name of one of ours.', script: 'shout.mjs' },
  ]),
  'skills/box/shout.mjs': 'export default ({ text = "" }) => ({ loud: text.toUpperCase() });',
};

describe('createSkillsProvider', () => {
  it('lists the skills in the wording of the seed', async () => {
    proves('S0.prompt.heading', 'S0.prompt.intro', 'S0.prompt.steps', 'S0.prompt.entries', 'S0.provider.systemPrompt');
    proves('S0.frontmatter.description-to-model', 'S0.provider.createSkillsProvider', 'S0.goal.directory');
    const skills = await createSkillsProvider(SEED, { include: ['discord', 'code-review', 'deploy'] });
    expect(skills.systemPrompt).toMatch(
      /^## Available Skills\n\nYou have access to skills that help you perform specific tasks\. Each skill has instructions and scripts you can run\.\n\nTo use a skill:\n1\. Call load_skill to read its instructions\n2\. Follow the instructions, calling use_skill to run scripts as directed\n\n### /,
    );
    expect(skills.systemPrompt).toMatch(/\n### discord\nPost messages and manage channels on Discord\./);
    expect(skills.skillNames).toEqual(['code-review', 'deploy', 'discord']);
  });

  it('has tools in the flat shape of the Responses API', async () => {
    proves('S0.tools.flat-shape', 'S0.load_skill.description', 'S0.load_skill.params', 'S0.use_skill.description');
    proves('S0.use_skill.params', 'S0.provider.tools', 'S0.api.responses');
    const skills = await createSkillsProvider(SEED);
    const [load, use, read] = skills.tools;
    expect(load).toMatchObject({
      type: 'function',
      name: 'load_skill',
      description: 'Load the full instructions for a skill. Call this before using a skill for the first time.',
      parameters: { type: 'object', properties: { skill: { type: 'string' } }, required: ['skill'] },
    });
    expect(load).not.toHaveProperty('function');
    expect(use).toMatchObject({
      name: 'use_skill',
      description:
        'Run a script from a skill folder. The skill instructions tell you which scripts to call and with what arguments.',
      parameters: {
        properties: { args: { type: 'array', items: { type: 'string' } }, stdin: { type: 'string' } },
        required: ['skill', 'script'],
      },
    });
    expect(read).toMatchObject({ name: 'read_skill_file' });
    expect(skills.handles('use_skill')).toBe(true);
    expect(skills.handles('get_weather')).toBe(false);
  });

  it.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'anthropic', 'gemini'] as const)(
    'has the same tools for %s',
    async (format) => {
      const { skills } = await open(TOOLBOX);
      const text = JSON.stringify(skills.toolsFor(format));
      for (const name of ['load_skill', 'read_skill_file', 'shout', 'stub', 'box__load_skill'])
        expect(text).toContain(`"${name}"`);
    },
  );

  it("runs the seed's example: load, list, send", async () => {
    proves('S0.flow.load', 'S0.flow.two-calls', 'S0.provider.handleToolCall', 'S0.goal.three-abilities');
    const skills = await createSkillsProvider(SEED);
    const text = await skills.handleToolCall('load_skill', { skill: 'discord' });
    expect(text).toContain('Base directory for this skill: ');
    expect(text).toContain('discord.mjs channels list');
    expect(text).toContain('Files of this skill:\n- discord.mjs');
    expect(text).not.toContain('description:');
    const listed = (await skills.handleToolCall('use_skill', {
      skill: 'discord',
      script: 'discord.mjs',
      args: ['channels', 'list'],
    })) as Result;
    expect(listed.success).toBe(true);
    const channel = /\d{6,}/.exec(listed.stdout)?.[0] ?? '';
    const sent = await skills.handleToolCall('use_skill', {
      skill: 'discord',
      script: 'discord.mjs',
      args: ['send', 'Hello World', `--channel=${channel}`],
    });
    expect(sent).toMatchObject({ success: true, exitCode: 0 });
  });

  it('calls the tools of skills, and answers with instructions for a tool without a script', async () => {
    proves('S1.1.registers-tools');
    const { skills } = await open(TOOLBOX);
    expect(await skills.handleToolCall('shout', { text: 'hi' })).toEqual({ loud: 'HI' });
    expect(await skills.handleToolCall('shout', '{"text":"json"}')).toEqual({ loud: 'JSON' });
    expect(await skills.handleToolCall('box__load_skill', {})).toEqual({ loud: '' });
    expect(await skills.handleToolCall('stub', {})).toContain('Call them.');
    await skills.close();
  });

  it('reads files of a skill, whole or in part', async () => {
    const { skills } = await open({
      'skills/doc/SKILL.md': goodSkill('doc'),
      'skills/doc/ref/a.md': 'one\ntwo\nthree\n',
    });
    expect(await skills.handleToolCall('read_skill_file', { skill: 'doc', path: 'ref/a.md' })).toBe(
      'one\ntwo\nthree\n',
    );
    expect(
      await skills.handleToolCall('read_skill_file', { skill: 'doc', path: 'ref/a.md', startLine: 2, endLine: 2 }),
    ).toContain('two');
    expect(await skills.handleToolCall('read_skill_file', { skill: 'doc', path: '../../x' })).toMatchObject({
      code: 'ScriptNotAllowed',
    });
  });

  it('has no tools and no prompt without skills, and no use_skill without scripts', async () => {
    const none = await open({ 'skills/': '' });
    expect([none.skills.systemPrompt, none.skills.tools, none.skills.sdkTools]).toEqual(['', [], []]);
    const { skills } = await open({ 'skills/plain/SKILL.md': goodSkill('plain') });
    expect(JSON.stringify([skills.systemPrompt, skills.tools])).not.toContain('use_skill');
    expect(skills.systemPrompt).toContain('2. Follow the instructions\n');
  });

  it('shows only the chosen skills, and reports a mistyped name', async () => {
    proves('S0.provider.include', 'S0.provider.exclude', 'S0.provider.skillNames');
    const files = {
      'skills/a/SKILL.md': goodSkill('a'),
      'skills/b/SKILL.md': goodSkill('b'),
      'skills/c/SKILL.md': goodSkill('c'),
    };
    expect((await open(files, { include: ['a', 'c'] })).skills.skillNames).toEqual(['a', 'c']);
    const { skills } = await open(files, { exclude: ['a'] });
    expect(skills.skillNames).toEqual(['b', 'c']);
    const { text, execution } = await skills.execute('load_skill', { skill: 'a' });
    expect(execution?.code).toBe('SkillNotFound');
    expect(text).not.toContain('exclude');
    await expect(open(files, { include: ['bb'] })).rejects.toThrow("Did you mean 'b'?");
  });

  it('runs scripts in the given directory and within its limits', async () => {
    proves('S0.provider.cwd', 'S0.provider.timeout', 'S0.provider.maxOutput');
    const files = {
      'skills/run/SKILL.md': goodSkill('run'),
      'skills/run/where.sh': 'pwd',
      'skills/run/hang.sh': 'sleep 60',
      'skills/run/big.sh': 'head -c 5000 /dev/zero | tr "\\0" x',
      'work/': '',
    };
    const { skills, root } = await open(files, { timeout: 400, maxOutput: 100 });
    const call = (script: string): Promise<unknown> => skills.handleToolCall('use_skill', { skill: 'run', script });
    expect(await call('where.sh')).toMatchObject({ stdout: `${root}\n` });
    expect(await call('hang.sh')).toMatchObject({ code: 'ExecutionTimeout' });
    expect(await call('big.sh')).toMatchObject({ success: true, truncated: { stdout: true } });
  });
});

describe('an invalid call', () => {
  it.each<[string, unknown, string, string]>([
    ['load_skill', { skill: 'bxo' }, 'SkillNotFound', "Did you mean 'box'?"],
    ['use_skill', { skill: 'nothing-like-it', script: 'x' }, 'SkillNotFound', 'Available skills'],
    ['use_skill', { skill: 'box' }, 'InvalidArguments', "'script' is missing"],
    ['use_skill', { skill: 'box', script: 'a.sh', args: 'text' }, 'InvalidArguments', "'args' must be array"],
    ['use_skill', { skill: 'box', script: 'gone.sh' }, 'ScriptNotFound', 'gone.sh'],
    ['use_skill', { skill: 'box', script: '/bin/ls' }, 'ScriptNotAllowed', 'absolute'],
    ['load_skill', '{"skill": "bo', 'InvalidArguments', 'not valid JSON'],
    ['load_skill', '[1]', 'InvalidArguments', 'must be a JSON object'],
    ['load_skill', 7, 'InvalidArguments', 'must be an object'],
    ['load_skill', {}, 'InvalidArguments', "'skill' is missing"],
    ['shuot', {}, 'ToolNotFound', "Did you mean 'shout'?"],
    ['__proto__', {}, 'ToolNotFound', 'not found'],
  ])('%s(%j) returns a result that tells the model what to do: %s', async (name, args, code, words) => {
    proves('S0.errors.SkillNotFound');
    const { skills } = await open(TOOLBOX);
    const result = (await skills.handleToolCall(name, args)) as Result;
    expect(result).toMatchObject({ success: false, code });
    expect(result.error).toContain(words);
    const outcome = await skills.execute(name, args);
    expect(outcome.isError).toBe(true);
  });

  it("returns the tool's error instead of throwing", async () => {
    const { skills } = await open(TOOLBOX);
    expect(await skills.handleToolCall('shout', { text: 5 })).toMatchObject({
      error: expect.stringContaining("'text' must be string") as string,
    });
    await skills.close();
  });
});

describe('a session', () => {
  const files = {
    'skills/narrow/SKILL.md':
      '---\nname: narrow\ndescription: Narrow.\nallowed-tools: Read\n---\nOnly read. $ARGUMENTS\n',
    ...TOOLBOX,
  };

  it('answers a second load with one line, while calls without a session always get the full text', async () => {
    const { skills } = await open(files);
    const session = skills.session('talk');
    const load = (args: object): Promise<unknown> => session.handleToolCall('load_skill', { skill: 'narrow', ...args });
    expect(await load({})).toContain('Only read.');
    expect(await load({})).toBe("Skill 'narrow' is already loaded; its instructions are above.");
    expect(await load({ arguments: 'that' })).toContain('Only read. that');
    expect(await skills.session().handleToolCall('load_skill', { skill: 'narrow' })).toContain('Only read.');
    for (let call = 0; call < 2; call += 1)
      expect(await skills.handleToolCall('load_skill', { skill: 'narrow' })).toContain('Only read.');
    expect(session.loaded).toEqual(['narrow']);
    session.forget('narrow');
    expect(await load({})).toContain('Only read.');
  });

  it("restricts the model to the tools of active skills until the user's next message", async () => {
    const { skills } = await open(files);
    const session = skills.session();
    expect(await session.handleToolCall('shout', { text: 'a' })).toEqual({ loud: 'A' });
    await session.handleToolCall('load_skill', { skill: 'narrow' });
    expect(await session.handleToolCall('shout', { text: 'a' })).toMatchObject({ code: 'ToolRestricted' });
    expect(await skills.session().handleToolCall('shout', { text: 'b' })).toEqual({ loud: 'B' });
    await session.handleToolCall('load_skill', { skill: 'box' });
    expect(await session.handleToolCall('shout', { text: 'a' })).toEqual({ loud: 'A' });
    session.endTurn();
    expect(session.active).toEqual([]);
    await skills.close();
  });

  it('keeps the skills it began with', async () => {
    const { skills, root } = await open(files);
    const session = skills.session();
    writeFileSync(join(root, 'skills/narrow/SKILL.md'), goodSkill('renamed'));
    await skills.refresh();
    expect(skills.skillNames).toContain('renamed');
    expect(await session.handleToolCall('load_skill', { skill: 'renamed' })).toMatchObject({ code: 'SkillNotFound' });
    expect(await skills.session().handleToolCall('load_skill', { skill: 'renamed' })).toContain('Do as asked');
  });

  it('searches skills by their purpose', async () => {
    const { skills } = await open({
      'skills/pdf/SKILL.md': goodSkill('pdf', 'Extracts tables and text from PDF documents.'),
      'skills/mail/SKILL.md': goodSkill('mail', 'Sends electronic mail to people.'),
    });
    const [best] = await skills.search('read the tables of a PDF');
    expect(best).toMatchObject({ id: 'pdf' });
    expect(best?.reasons.length).toBeGreaterThan(0);
    expect(await skills.session().search('send mail')).toMatchObject([{ id: 'mail' }]);
    expect(await skills.handleToolCall('search_skills', { query: 'pdf tables' })).toContain('### pdf\nExtracts tables');
    expect(await skills.handleToolCall('search_skills', { query: 'quantum chromodynamics' })).toContain(
      'No skill has any word',
    );
  });
});
