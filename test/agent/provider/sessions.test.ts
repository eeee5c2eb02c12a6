import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSkillsProvider,
  type SkillsProvider,
  type SkillsProviderOptions,
} from '../../../packages/skillwright/src/index.ts';
import { forgetResults } from '../../../packages/skillwright/src/wire/index.ts';
import { WIRE_FORMATS, type WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import { createScriptedModel, type Conversation } from '../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree, goodSkill, type TreeFiles } from '../../support/skill-tree.ts';
import { ask, talk } from '../wire-conversation.ts';

async function open(
  files: TreeFiles,
  options: SkillsProviderOptions = {},
): Promise<{ skills: SkillsProvider; root: string }> {
  const root = realpathSync(createSkillTree(files).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root, ...options });
  onTestFinished(() => skills.close());
  return { skills, root };
}

const TWO = {
  'skills/diary/SKILL.md': `---\nname: diary\ndescription: Keeps a diary.\nargument-hint: whose\n---\nThe diary of $ARGUMENTS.\n`,
  'skills/diary/say.sh': 'cat',
};

describe('two users of one provider', () => {
  it.each(WIRE_FORMATS)('do not see each other in %s', async (format) => {
    const { skills } = await open(TWO);
    // Each user sends a name; the model loads the diary of that name twice and passes the name to a script.
    const model = await createScriptedModel({
      respond: ({ userText, messages }: Conversation) => {
        const load = { name: 'load_skill', arguments: { skill: 'diary', arguments: userText } };
        const use = {
          name: 'use_skill',
          arguments: { skill: 'diary', script: 'say.sh', stdin: `secret of ${userText}` },
        };
        const rounds = messages.filter(({ role }) => role === 'assistant').length;
        return [{ calls: [load, use] }, { calls: [load] }][rounds] ?? { text: `Goodbye ${userText}.` };
      },
    });
    onTestFinished(() => model.close());
    const people = ['Anna', 'Bela'];
    const talks = await Promise.all(
      people.map((input) => talk(model, { format, stream: true, session: skills.session(input), input })),
    );
    expect(talks.map(({ turn }) => turn.text)).toEqual(['Goodbye Anna.', 'Goodbye Bela.']);
    for (const [index, { body, outcomes }] of talks.entries()) {
      const [own, other] = index === 0 ? people : people.toReversed();
      const history = JSON.stringify(body);
      expect(history).toContain(`The diary of ${own}.`);
      expect(history).toContain(`secret of ${own}`);
      expect(history).not.toContain(other);
      expect([...outcomes.values()].at(-1)?.text).toBe("Skill 'diary' is already loaded; its instructions are above.");
    }
    expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });

  it('may have sessions with the same id without sharing loaded skills', async () => {
    const { skills } = await open(TWO);
    const [one, two] = [skills.session('same'), skills.session('same')];
    await one.handleToolCall('load_skill', { skill: 'diary' });
    expect([one.loaded, two.loaded]).toEqual([['diary'], []]);
    expect(await two.handleToolCall('load_skill', { skill: 'diary' })).toContain('The diary of');
  });
});

describe('a session that has begun', () => {
  const files = {
    'skills/old/SKILL.md': goodSkill('old'),
    'skills/old/tools.json': JSON.stringify([{ name: 'old_tool', description: 'Old.' }]),
    'skills/secret/SKILL.md': goodSkill('secret'),
  };

  it('keeps its prompt and its tools when skills change', async () => {
    const { skills, root } = await open(files);
    const session = skills.session();
    const before = { prompt: session.systemPrompt, tools: session.tools };
    writeFileSync(join(root, 'skills/old/SKILL.md'), goodSkill('new'));
    rmSync(join(root, 'skills/old/tools.json'));
    await skills.refresh();
    expect({ prompt: session.systemPrompt, tools: session.tools }).toEqual(before);
    expect([session.handles('old_tool'), skills.handles('old_tool')]).toEqual([true, false]);
    expect(skills.systemPrompt).toContain('### new\n');
    expect(skills.session().tools).not.toEqual(before.tools);
  });

  it.each<SkillsProviderOptions>([{ exclude: ['secret'] }, { include: ['old'] }])(
    'keeps the choice of skills it began with: %o',
    async (options) => {
      const { skills } = await open(files, options);
      const session = skills.session();
      await skills.refresh();
      expect(await session.handleToolCall('load_skill', { skill: 'old' })).toContain('Do as asked');
      expect(await session.handleToolCall('load_skill', { skill: 'secret' })).toMatchObject({ code: 'SkillNotFound' });
      expect(await session.search('secret')).toEqual([]);
    },
  );

  it('remembers loaded skills, whichever way its tools are called', async () => {
    const { skills } = await open(files);
    const session = skills.session();
    await skills.handleToolCall('load_skill', { skill: 'old' }, { session });
    expect(session.loaded).toEqual(['old']);
    const [load] = session.sdkTools;
    expect(await load?.function.execute({ skill: 'old' })).toContain('already loaded');
    expect(await session.handleToolCall('load_skill', { skill: 'old' })).toContain('already loaded');
  });

  it('suggests only names that it may use', async () => {
    const { skills } = await open(files, { exclude: ['secret'] });
    const { text } = await skills.session().execute('load_skill', { skill: 'secrets' });
    expect(text).toContain("Available skills: ['old']");
    expect(text).not.toContain("'secret'");
    expect((await skills.execute('old_tol', {})).text).toContain("Did you mean 'old_tool'?");
  });
});

it('refuses a shadowed skill by its path if its name is excluded', async () => {
  const files = { 'a/x/SKILL.md': goodSkill('x'), 'b/x/SKILL.md': goodSkill('x'), 'b/y/SKILL.md': goodSkill('y') };
  const root = realpathSync(createSkillTree(files).root);
  const skills = await createSkillsProvider([join(root, 'a'), join(root, 'b')], { exclude: ['x'] });
  onTestFinished(() => skills.close());
  expect(skills.skillNames).toEqual(['y']);
  expect(await skills.handleToolCall('load_skill', { skill: join(root, 'b/x') })).toMatchObject({
    code: 'SkillNotFound',
  });
});

describe('a file that comes with a skill', () => {
  it('is read in parts when it is long', async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`);
    const { skills } = await open({
      'skills/doc/SKILL.md': goodSkill('doc'),
      'skills/doc/long.txt': lines.join('\n'),
      'skills/doc/wide.txt': 'é'.repeat(300_000),
      'skills/doc/empty.txt': '',
    });
    const read = (args: object): Promise<unknown> =>
      skills.handleToolCall('read_skill_file', { skill: 'doc', ...args });
    const seen: string[] = [];
    let startLine: number | undefined = 1;
    while (startLine !== undefined) {
      const text: string = String(await read({ path: 'long.txt', startLine }));
      expect(text.length).toBeLessThan(101_000);
      const [all = '', next]: readonly (string | undefined)[] =
        /\[The file continues\. To read on, use startLine (\d+)\.\]\n$/.exec(text) ?? [];
      seen.push(text.slice(0, text.length - all.length));
      startLine = next === undefined ? undefined : Number(next);
    }
    expect(seen.join('')).toBe(lines.join('\n'));
    expect(await read({ path: 'wide.txt' })).toMatch(/é\n\[The rest of the line was cut/);
    expect(await read({ path: 'empty.txt' })).toBe('(The file is empty.)');
    expect(await read({ path: 'long.txt', startLine: 99_999 })).toBe('(These lines are empty.)');
    expect(await read({ path: 'long.txt', startLine: 0 })).toMatchObject({ code: 'InvalidArguments' });
  });
});

describe('a result that the model asks to drop', () => {
  it.each(WIRE_FORMATS)('is removed from the history in %s, which stays valid', async (format: WireFormatName) => {
    const { skills } = await open(TWO);
    const use = (stdin: string, remember: boolean): object => ({ skill: 'diary', script: 'say.sh', stdin, remember });
    const model = await createScriptedModel({
      script: [
        {
          reasoning: 'One for now, one for later.',
          calls: [
            { name: 'use_skill', arguments: use('bulk '.repeat(500), false) },
            { name: 'use_skill', arguments: use('to keep', true) },
          ],
        },
        { text: 'Seen.' },
        { text: 'Still here.' },
      ],
    });
    onTestFinished(() => model.close());
    const { body, outcomes } = await talk(model, { format, stream: false, session: skills.session(), input: 'Look.' });
    const passing = [...outcomes].filter(([, { isPassing }]) => isPassing === true).map(([id]) => id);
    expect(passing).toHaveLength(1);
    const shorter = forgetResults(format, body, passing);
    const turn = await ask(model, { name: format, stream: false, body: shorter });
    const [answered] = model.requests.slice(2);
    const results = answered?.conversation?.messages.flatMap((message) => message.results) ?? [];
    expect(results.map(({ text }) => text.includes('bulk'))).toEqual([false, false]);
    expect(results[0]?.text).toContain('This result was dropped');
    expect(results[1]?.text).toContain('to keep');
    expect([turn.text, answered?.refusal]).toEqual(['Still here.', undefined]);
  });
});
