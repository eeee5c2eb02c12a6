import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory, readJson, runHere, skillFile } from '../cli-runner.ts';

interface Suggestions {
  skills: {
    name: string;
    file: string;
    written: number;
    cases: { query: string; should_trigger: boolean; from: string }[];
  }[];
}

const MAIL = skillFile(
  {
    name: 'mail',
    description: 'Sorts mail. Use when the user wants to sort old mail, or asks who wrote last. Not for chat messages.',
  },
  '## Examples\n\n- "clean up my inbox"',
);
const CASES = [
  { query: 'clean up my inbox', should_trigger: true },
  { query: 'sort old mail', should_trigger: true },
  { query: 'who wrote last', should_trigger: true },
  { query: 'chat messages', should_trigger: false },
];

const read = (cwd: string, file = 'skills/mail/evals/triggers.json'): unknown =>
  JSON.parse(readFileSync(join(cwd, file), 'utf8'));

/** Answers the questions of a command in this order; `undefined` means that the user quits. */
function answering(...answers: (string | undefined)[]) {
  const asked: string[] = [];
  const ask = (question: string): Promise<string | undefined> => {
    asked.push(question);
    return Promise.resolve(answers[asked.length - 1]);
  };
  return { asked, ask };
}

describe('skillwright eval --suggest', () => {
  it('prints cases from the text of a skill, and how to add them', async () => {
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': MAIL });
    const { code, stdout, stderr } = await runHere(['eval', '--suggest', 'skills/mail'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'mail: 4 cases for skills/mail/evals/triggers.json',
        '  should trigger',
        '  - "clean up my inbox" (from the instructions)',
        '  - "sort old mail" (from the description)',
        '  - "who wrote last" (from the description)',
        '  should not trigger',
        '  - "chat messages" (from the description)',
        '',
        'These are the words of the skills: rewrite them as people would say it, and add near misses.',
        'To add them all:',
        '  npx skillwright eval --suggest skills/mail --yes',
        '',
      ].join('\n'),
    );
    expect(existsSync(join(cwd, 'skills/mail/evals'))).toBe(false);
  });

  it('prints JSON, and writes with --yes a set that eval runs', async () => {
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': MAIL });
    const printed = await readJson<Suggestions>(['eval', '--suggest'], { cwd });
    expect(printed.skills).toMatchObject([{ name: 'mail', written: 0, cases: CASES }]);
    const written = await readJson<Suggestions>(['eval', '--suggest', '--yes'], { cwd });
    const file = join(cwd, 'skills/mail/evals/triggers.json');
    expect(written.skills).toMatchObject([{ name: 'mail', file, written: 4 }]);
    expect(read(cwd)).toEqual(CASES);
    expect(await readJson(['eval', 'skills'], { cwd })).toMatchObject({
      passed: true,
      shouldTrigger: 3,
      diagnostics: [],
    });
    const again = await runHere(['eval', '--suggest', '--yes'], { cwd });
    expect(again.stdout).toBe('No new cases: the text of 1 skill suggests none that the trigger sets do not have.\n');
  });

  it('asks about each case in a terminal, and adds those that are accepted', async () => {
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': MAIL });
    const user = answering('y', 'no', 'Y', '');
    const { code, stdout } = await runHere(['eval', '--suggest'], { cwd, ask: user.ask });
    expect(code).toBe(0);
    expect(user.asked).toHaveLength(4);
    expect(stdout).toContain('- Should trigger mail: "clean up my inbox" (from the instructions)');
    expect(stdout).toContain('- Should not trigger mail: "chat messages"');
    expect(stdout).toContain('✓ Added 2 cases to skills/mail/evals/triggers.json\n');
    expect(read(cwd)).toEqual([CASES[0], CASES[2]]);
  });

  it.each<[string, (string | undefined)[], number]>([
    ['adds the rest of a skill after "a"', ['n', 'a'], 3],
    ['stops after "q", and keeps what was accepted', ['y', 'q'], 1],
    ['stops when the user leaves', ['y', undefined], 1],
    ['adds nothing if nothing is accepted', ['n', 'n', 'n', 'n'], 0],
  ])('%s', async (_what, answers, count) => {
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': MAIL });
    const user = answering(...answers);
    await runHere(['eval', '--suggest'], { cwd, ask: user.ask });
    expect(user.asked).toHaveLength(answers.length);
    if (count === 0) expect(existsSync(join(cwd, 'skills/mail/evals'))).toBe(false);
    else expect(read(cwd)).toHaveLength(count);
  });

  it('adds to a set without changing its other lines', async () => {
    const own = '[\n  {\n    "query": "sort old mail", // mine\n';
    const set = '[\n\t{ "query": "Sort old mail?",  "should_trigger": true, "note": "]" }\n]';
    const cwd = makeDirectory({
      'skills/mail/SKILL.md': MAIL,
      'skills/mail/evals/triggers.json': set,
      'other/mail/SKILL.md': MAIL,
      'other/mail/evals/triggers.json': '[]',
      'third/mail/SKILL.md': MAIL,
      'third/mail/evals/triggers.json': own,
    });
    for (const place of ['skills', 'other', 'third']) await runHere(['eval', '--suggest', '--yes', place], { cwd });
    const text = readFileSync(join(cwd, 'skills/mail/evals/triggers.json'), 'utf8');
    expect(text.startsWith(`${set.slice(0, -2)},\n  { "query": "clean up my inbox", "should_trigger": true },\n`)).toBe(
      true,
    );
    expect(read(cwd)).toHaveLength(4);
    expect(read(cwd, 'other/mail/evals/triggers.json')).toEqual(CASES);
    expect(readFileSync(join(cwd, 'third/mail/evals/triggers.json'), 'utf8')).toBe(own);
    expect(read(cwd, 'third/mail/evals/suggested-triggers.json')).toEqual(CASES);
    expect(readdirSync(join(cwd, 'skills/mail/evals'))).toEqual(['triggers.json']);
  });

  it('suggests only for the named skills, or else for those below the working directory', async () => {
    const cwd = makeDirectory({
      'skills/mail/SKILL.md': MAIL,
      'skills/other/SKILL.md': skillFile({ name: 'other', description: 'Use for reading a long letter.' }),
      'home/.claude/skills/mine/SKILL.md': skillFile({ name: 'mine', description: 'Use for writing a long letter.' }),
    });
    const namesOf = async (...args: string[]): Promise<string[]> => {
      const overrides = { cwd: join(cwd), home: join(cwd, 'home') };
      return (await readJson<Suggestions>(['eval', '--suggest', ...args], overrides)).skills.map(({ name }) => name);
    };
    expect(await namesOf('skills/other')).toEqual(['other']);
    expect(await namesOf('--dir', 'skills')).toEqual(['mail', 'other']);
    expect(await namesOf('skills/other', '--dir', 'skills')).toEqual(['other']);
    const outside = { cwd: join(cwd, 'skills'), home: join(cwd, 'home') };
    expect((await runHere(['eval', '--suggest'], outside)).stderr).toContain('There is no skill to suggest');
  });

  it.each([
    [['eval', '--yes'], '--yes can only be used with --suggest.'],
    [['eval', '--suggest', '--threshold', '0.5'], '--threshold cannot be used with --suggest'],
    [['eval', '--suggest', '--ranker', 'additive'], '--ranker cannot be used with --suggest'],
    [['eval', '--suggest', 'x.json'], "--suggest takes skills, not the trigger set 'x.json'."],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runHere(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });
});

describe('skillwright eval --suggest with hostile skills', () => {
  it.skipIf(process.platform === 'win32')('never writes through a link', async () => {
    const cwd = makeDirectory({
      'skills/mail/SKILL.md': MAIL,
      'skills/note/SKILL.md': MAIL.replace('name: mail', 'name: note'),
      'outside/triggers.json': '[]',
    });
    symlinkSync(join(cwd, 'outside'), join(cwd, 'skills/mail/evals'));
    mkdirSync(join(cwd, 'skills/note/evals'));
    for (const name of ['triggers.json', 'suggested-triggers.json'])
      symlinkSync(join(cwd, 'outside/triggers.json'), join(cwd, 'skills/note/evals', name));
    for (const name of ['mail', 'note']) {
      const { code, stderr } = await runHere(['eval', '--suggest', '--yes', `skills/${name}`], { cwd });
      expect(code).toBe(1);
      expect(stderr).toContain(`The cases of ${name} cannot be written to `);
      expect((await runHere(['eval', '--suggest', `skills/${name}`], { cwd })).code).toBe(0);
    }
    expect(readFileSync(join(cwd, 'outside/triggers.json'), 'utf8')).toBe('[]');
  });

  it('writes no sets at all if it cannot write one of them', async () => {
    const cwd = makeDirectory({
      'skills/a-mail/SKILL.md': MAIL.replace('name: mail', 'name: a-mail'),
      'skills/mail/SKILL.md': MAIL,
      'skills/mail/evals': 'a file',
    });
    expect((await runHere(['eval', '--suggest', '--yes'], { cwd })).code).toBe(1);
    expect(existsSync(join(cwd, 'skills/a-mail/evals'))).toBe(false);
  });

  it('says why it cannot write', async () => {
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': MAIL, 'skills/mail/evals': 'a file' });
    const { code, stderr } = await runHere(['eval', '--suggest', '--yes'], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('it is not a directory') as string });
  });

  it('lets no text control the terminal, and writes it as data', async () => {
    const description = JSON.stringify('Use for "sort \u001b[31mmy\u202e\\ old" mail.');
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': skillFile({ name: 'mail', description }) });
    const shown = await runHere(['eval', '--suggest'], { cwd, isTty: true, columns: 40, env: { NO_COLOR: '1' } });
    for (const character of ['\u001b', '\u202e']) expect(shown.stdout).not.toContain(character);
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    await runHere(['eval', '--suggest', '--yes'], { cwd });
    expect(read(cwd)).toEqual([{ query: expect.stringContaining('\\ old') as string, should_trigger: true }]);
  });

  it('reads a skill whose instructions cannot be loaded', async () => {
    const cwd = makeDirectory({ 'skills/mail/SKILL.md': MAIL });
    writeFileSync(join(cwd, 'skills/mail/SKILL.md'), Buffer.concat([Buffer.from(MAIL), Buffer.from([0xff])]));
    const { skills } = await readJson<Suggestions>(['eval', '--suggest'], { cwd });
    expect(skills[0]?.cases).toHaveLength(3);
  });
});
