import { chmodSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { SkillMetadata } from '../../../packages/skillwright/src/index.ts';
import type { CliContext } from '../../../packages/skillwright/src/surfaces/cli/context.ts';
import { type CliResult, makeDirectory, readJson, runHere, skillFile, spawnBash, spawnCli } from './cli-runner.ts';

const posix = process.platform !== 'win32';

const FILES = {
  'repo/.claude/skills/deploy/SKILL.md': skillFile({ name: 'deploy', description: 'Theirs.' }),
  'repo/skills/build/SKILL.md': skillFile({ name: 'build', description: 'Builds.' }),
  'repo/skills/build/tools.json': JSON.stringify([{ name: 'run', description: 'Runs.' }]),
  'home/.claude/skills/deploy/SKILL.md': skillFile({ name: 'deploy', description: 'Mine.' }),
  'home/.claude/skills/deploy/tools.json': JSON.stringify([{ name: 'run', description: 'Runs.' }]),
};

interface World {
  readonly root: string;
  readonly file: string;
  readonly context: Partial<CliContext>;
  run(...args: string[]): Promise<CliResult>;
  trusts(...args: string[]): Promise<Record<string, string>>;
}

function makeWorld(files: Readonly<Record<string, string>> = {}): World {
  const root = makeDirectory({ ...FILES, ...files });
  const file = join(root, 'home/.config/skillwright/trust.json');
  if (existsSync(file)) {
    chmodSync(join(root, 'home/.config/skillwright'), 0o700);
    chmodSync(file, 0o600);
  }
  const context = { cwd: join(root, 'repo'), home: join(root, 'home'), platform: 'linux' };
  return {
    root,
    file,
    context,
    run: (...args) => runHere(args, context),
    async trusts(...args) {
      const { skills } = await readJson<{ skills: SkillMetadata[] }>(['list', ...args], context);
      return Object.fromEntries(skills.map(({ name, source, trust }) => [`${name} ${source}`, trust]));
    },
  };
}

describe('skills that a command finds by itself', () => {
  it("are untrusted, including the user's own", async () => {
    const { trusts } = makeWorld();
    expect(await trusts()).toEqual({ 'build project': 'untrusted', 'deploy anthropic': 'untrusted' });
  });

  it('are trusted if they are named with --dir', async () => {
    const { trusts } = makeWorld();
    expect(await trusts('--dir', 'skills')).toEqual({ 'build additional': 'trusted' });
  });

  it('are trusted in a plugin only if that is recorded', async () => {
    const { trusts, run } = makeWorld({
      'repo/.claude-plugin/plugin.json': '{ "name": "kit" }',
    });
    expect(await trusts('--no-user')).toMatchObject({ 'kit:build plugin': 'untrusted' });
    await run('trust', 'skills', '--yes');
    expect(await trusts('--no-user')).toMatchObject({ 'kit:build plugin': 'trusted' });
  });

  it('never replace a trusted skill or tool of the user, however near they are', async () => {
    const { run, trusts } = makeWorld();
    await run('trust', '../home/.claude/skills', '--yes');
    expect(await trusts()).toEqual({ 'build project': 'untrusted', 'deploy personal': 'trusted' });
    const { stdout } = await run('doctor');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'deploy in .claude/skills/deploy/SKILL.md is replaced by ~/.claude/skills/deploy/SKILL.md: use it as anthropic/deploy',
    );
    expect(stdout).toContain('run of build is replaced by the tool of deploy: call it as build__run');
  });

  it('are marked in the list, with an explanation of the mark', async () => {
    const { run } = makeWorld();
    const before = (await run('list')).stdout;
    expect(before).toMatch(/^build +project\* +Builds\.$/m);
    expect(before).toMatch(/\n\* untrusted\. .*npx skillwright trust <path>/);
    await run('trust', '.', '--yes');
    const after = (await run('list')).stdout;
    expect(after).toMatch(/^build +project +Builds\.$/m);
    expect(after).not.toContain('untrusted');
  });

  it('are shown with instructions by show and doctor', async () => {
    const { run, context } = makeWorld();
    expect((await run('show', 'build')).stdout).toMatch(
      /^ {2}trust +untrusted \('npx skillwright trust skills\/build' trusts it\)$/m,
    );
    expect((await run('doctor')).stdout).toContain("- 1 skill in skills: 'npx skillwright trust skills' trusts them");
    expect(await readJson(['doctor'], context)).toMatchObject({
      untrusted: [{ skills: ['build'] }, { skills: ['deploy'] }, { skills: ['deploy'] }],
      blocked: [],
    });
    await run('trust', 'skills', '--yes');
    expect((await run('show', 'build')).stdout).toMatch(/^ {2}trust +trusted$/m);
  });
});

describe('skillwright trust', () => {
  it("records a directory in the user's configuration and shows what that covers", async () => {
    const { run, root, file } = makeWorld();
    const { code, stdout, stderr } = await run('trust', '.claude/skills', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ Trusted: \.claude\/skills and everything below it\.\n/);
    expect(stdout).toMatch(/^deploy +trusted +0 +0 +\.claude\/skills\/deploy\/SKILL\.md$/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain("'npx skillwright trust --remove .claude/skills' undoes this.");
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      version: 1,
      entries: [{ path: join(root, 'repo/.claude/skills'), level: 'trusted' }],
    });
  });

  it('without a path lists the records, and trusts nothing', async () => {
    const { run, file, trusts, context } = makeWorld();
    const { code, stdout } = await run('trust');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^There are no records/) as string });
    expect(await readJson(['trust'], context)).toEqual({ file, entries: [] });
    expect(existsSync(file)).toBe(false);
    await run('trust', 'skills', '--yes');
    expect((await run('trust')).stdout).toMatch(/^skills +trusted /m);
    expect(await trusts()).toEqual({ 'build project': 'trusted', 'deploy anthropic': 'untrusted' });
  });

  it.each([[[]], [['--json']]])('trusts nothing if nobody can be asked, unless --yes is given: %j', async (more) => {
    const { context, file } = makeWorld({ 'repo/skills/build/scripts/go.sh': 'exit' });
    const { code, stdout, stderr } = await runHere(['trust', 'skills', ...more], context);
    expect(code).toBe(2);
    const said = stdout + stderr;
    expect(said).toContain('Trusting skills needs your answer, and there is no terminal to ask in.');
    expect(said).toContain('It contains 1 skill with 1 script and 1 tool, which may then run as you.');
    expect(said).toContain('npx skillwright trust skills --yes');
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['y', true],
    [' YES ', true],
    ['n', false],
    ['', false],
    [undefined, false],
  ])('shows in a terminal what it would trust and asks: %j', async (answer, isTrusted) => {
    const { context, trusts } = makeWorld({ 'repo/skills/build/scripts/go.sh': 'exit' });
    const questions: string[] = [];
    const ask = (question: string): Promise<string | undefined> => {
      questions.push(question);
      return Promise.resolve(answer);
    };
    const { code, stdout } = await runHere(['trust', 'skills'], { ...context, isTty: true, columns: 200, ask });
    expect(questions).toEqual(['Trust it? y yes, anything else no: ']);
    expect(stdout).toContain('Trust skills and everything below it?');
    expect(stripVTControlCharacters(stdout)).toMatch(/\nbuild +untrusted +1 +1 +skills\/build\/SKILL\.md\n/);
    expect(stdout).toContain('It contains 1 skill with 1 script and 1 tool, which may then run as you.');
    expect(stdout).toContain(isTrusted ? 'Trusted: skills' : 'Nothing changed.');
    expect(code).toBe(isTrusted ? 0 : 1);
    expect(await trusts()).toMatchObject({ 'build project': isTrusted ? 'trusted' : 'untrusted' });
  });

  it.skipIf(!posix)('records the directory that it asked about, even if a link has changed meanwhile', async () => {
    const { context, root, file } = makeWorld({ 'evil/trap/SKILL.md': skillFile({ name: 'trap', description: 'x' }) });
    symlinkSync(join(root, 'repo/skills'), join(root, 'repo/link'));
    const ask = (): Promise<string> => {
      rmSync(join(root, 'repo/link'));
      symlinkSync(join(root, 'evil'), join(root, 'repo/link'));
      return Promise.resolve('y');
    };
    expect((await runHere(['trust', 'link'], { ...context, ask })).code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ entries: [{ path: join(root, 'repo/skills') }] });
  });

  it('does not ask about a directory that cannot be trusted', async () => {
    const { context } = makeWorld();
    const ask = (): Promise<string> => Promise.reject(new Error('It asked.'));
    const { code, stderr } = await runHere(['trust', '../home'], { ...context, ask });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cannot be trusted') as string });
  });

  it('covers everything in the directory', async () => {
    const { context, root } = makeWorld({
      'repo/packages/app/.agents/skills/deep/SKILL.md': skillFile({ name: 'deep', description: 'x' }),
    });
    expect(await readJson(['trust', '.', '--yes'], context)).toEqual({
      action: 'trust',
      path: join(root, 'repo'),
      file: join(root, 'home/.config/skillwright/trust.json'),
      insideSkill: null,
      skills: [
        { name: 'build', path: join(root, 'repo/skills/build/SKILL.md'), trust: 'trusted', scripts: 0, tools: 1 },
        {
          name: 'deploy',
          path: join(root, 'repo/.claude/skills/deploy/SKILL.md'),
          trust: 'trusted',
          scripts: 0,
          tools: 0,
        },
        {
          name: 'deep',
          path: join(root, 'repo/packages/app/.agents/skills/deep/SKILL.md'),
          trust: 'trusted',
          scripts: 0,
          tools: 0,
        },
      ],
    });
  });

  it('accepts a SKILL.md as its directory, and a directory without skills', async () => {
    const { run, context, root } = makeWorld({ 'repo/docs/readme.md': '' });
    expect(await readJson(['trust', 'skills/build/SKILL.md', '--yes'], context)).toMatchObject({
      path: join(root, 'repo/skills/build'),
    });
    expect((await run('trust', 'docs', '--yes')).stdout).toContain('It contains no skills now.');
  });

  it('blocks a directory, whose skills then never load', async () => {
    const { run, trusts, context } = makeWorld();
    expect((await run('trust', '--block', 'skills')).stdout).toMatch(/^build +blocked +0 +1 +skills/m);
    expect(await trusts()).toEqual({ 'deploy anthropic': 'untrusted' });
    expect(await trusts('--dir', 'skills')).toEqual({});
    const shown = await run('show', 'build');
    expect(shown).toMatchObject({ code: 126, stderr: expect.stringContaining("Skill 'build' at") as string });
    expect(shown.stderr).toContain('is blocked');
    expect((await run('invoke', 'build', '--json')).stdout).toContain('"SkillBlocked"');
    const listed = (await run('list', '--dir', 'skills')).stdout;
    expect(listed).toMatch(/^1 skill here is blocked, as recorded in ~\/\.config\/skillwright\/trust\.json\./);
    expect(listed).toMatch(/\n0 skills · 1 blocked\n$/);
    expect(listed).not.toContain('To create your first one');
    expect((await run('doctor')).stdout).toMatch(
      /^Blocked\n {2}- build in skills\/build\/SKILL\.md is blocked by [^\n]+ and never loads/m,
    );
    expect(await readJson(['doctor'], context)).toMatchObject({ blocked: [{ name: 'build' }], problems: [] });
    expect((await run('validate', 'skills')).stderr).toMatch(/is blocked and was not loaded/);
  });

  it.each([
    ['show', 'build'],
    ['invoke', 'build'],
    ['run', 'build', 'x.sh'],
    ['call', 'build__run'],
    ['call', 'build'],
    ['match', 'Build it.', '--dir', 'skills'],
    ['eval', 'skills/build'],
  ])("makes '%s %s' fail with SkillBlocked and 126", async (...words) => {
    const { run } = makeWorld();
    await run('trust', '--block', 'skills/build');
    const { code, stdout } = await run(...words, '--json');
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 126,
      error: { code: 'SkillBlocked', data: { skill: 'build' } },
    });
  });

  it.skipIf(!posix).each([
    ['run', 'build', 'wait.sh'],
    ['call', 'wait'],
  ])("ends a running '%s %s' with SkillBlocked and 126 when the skill is blocked", async (...words) => {
    const { run, root } = makeWorld({
      'repo/skills/build/wait.sh': '#!/bin/sh\n: > "${0%/*}/waits"\nsleep 600\n',
      'repo/skills/build/tools.json': JSON.stringify([{ name: 'wait', description: 'Waits.', script: 'wait.sh' }]),
    });
    chmodSync(join(root, 'repo/skills/build/wait.sh'), 0o755);
    const running = run(...words, '--dir', 'skills', '--timeout', '600s', '--json');
    await expect.poll(() => existsSync(join(root, 'repo/skills/build/waits')), { timeout: 10_000 }).toBe(true);
    await run('trust', '--block', 'skills');
    const { code, stdout } = await running;
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 126, error: { code: 'SkillBlocked' } });
  });

  it('reports that the skill of a trigger set is blocked', async () => {
    const { run, root } = makeWorld();
    await run('trust', '--block', 'skills/build');
    const set = { skill_name: 'build', evals: [{ query: 'Build it.', should_trigger: true }] };
    writeFileSync(join(root, 'repo/set.json'), JSON.stringify(set));
    expect((await run('eval', 'set.json')).stderr).toContain("skill 'build' is blocked");
  });

  it('names blocked skills when a tool is not found, because it may belong to one', async () => {
    const { run } = makeWorld();
    await run('trust', '--block', 'skills/build');
    const { code, stderr } = await run('call', 'run', '--no-user');
    expect(code).toBe(1);
    expect(stderr).toContain(
      "Tool 'run' not found. Available tools: [] Blocked skills, whose tools are unknown: ['build']",
    );
  });

  it.each([
    [['--yes'], 'npx skillwright trust skills/build\n'],
    [['--block'], 'npx skillwright trust --block skills/build\n'],
  ])('warns that a record for a part of a skill does not apply to the skill: %j', async (options, remedy) => {
    const { run, context, root } = makeWorld({ 'repo/skills/build/scripts/deep/x.sh': 'exit' });
    const { code, stderr } = await run('trust', 'skills/build/scripts/deep', ...options);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: It is part of the skill in skills\/build, /);
    expect(stderr).toContain(remedy);
    const { stdout } = await runHere(['trust', 'skills/build/scripts', '--json', ...options], context);
    expect(JSON.parse(stdout)).toMatchObject({ insideSkill: join(root, 'repo/skills/build'), skills: [] });
  });

  it('lists the records', async () => {
    const { run, root, context } = makeWorld();
    expect((await run('trust', '--list')).stdout).toMatch(/^There are no records/);
    await run('trust', '.claude/skills', '--yes');
    await run('trust', '--block', 'skills');
    renameSync(join(root, 'repo/skills'), join(root, 'repo/moved'));
    const { stdout } = await run('trust', '--list');
    expect(stdout).toMatch(/^\.claude\/skills +trusted +\d{4}-\d\d-\d\d$/m);
    expect(stdout).toMatch(/^skills +blocked +no longer exists$/m);
    expect(stdout).toContain('2 entries in ~/.config/skillwright/trust.json');
    expect(await readJson(['trust', '--list'], context)).toMatchObject({
      entries: [
        { path: join(root, 'repo/.claude/skills'), level: 'trusted', exists: true },
        { path: join(root, 'repo/skills'), level: 'blocked', exists: false },
      ],
    });
  });

  it('removes records, even of missing directories, and reports when there is nothing to remove', async () => {
    const { run, root, trusts } = makeWorld();
    await run('trust', '.', '--yes');
    const inside = await run('trust', '--remove', 'skills');
    expect(inside.code).toBe(1);
    expect(inside.stderr).toMatch(
      /^error: There is no record of skills\.\n {2}It is inside .*, which is recorded as trusted\.\n$/,
    );
    expect((await run('trust', '--remove')).stdout).toMatch(/^build +untrusted /m);
    expect(await trusts()).toEqual({ 'build project': 'untrusted', 'deploy anthropic': 'untrusted' });
    await run('trust', 'skills', '--yes');
    renameSync(join(root, 'repo/skills'), join(root, 'repo/moved'));
    expect((await run('trust', '--remove', 'skills')).code).toBe(0);
    const nothing = await run('trust', '--remove', 'skills', '--json');
    expect(JSON.parse(nothing.stdout)).toMatchObject({ error: { code: 'NothingRecorded' } });
  });

  it.each([
    [['--list', '--remove'], '--list and --remove cannot be used together.'],
    [['--block', '--remove', 'x'], '--remove and --block cannot be used together.'],
    [['--list', 'skills'], "Unexpected argument 'skills', because --list shows all records."],
    [['--dir', 'skills'], 'takes the directory as an argument, not with --dir'],
    [['a', 'b'], "Unexpected argument 'b'."],
    [['--yes'], '--yes can only be used to trust a path'],
    [['--block', 'x', '--yes'], '--yes can only be used to trust a path'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await makeWorld().run('trust', ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });

  it.each([
    ['/', 'TrustNotAllowed'],
    ['../home', 'TrustNotAllowed'],
    ['..', 'TrustNotAllowed'],
    ['../home/.config', 'TrustNotAllowed'],
    ['nowhere', 'PathNotFound'],
    ['skills/build/tools.json', 'PathNotFound'],
  ])('refuses %s', async (path, code) => {
    const { run, root, file } = makeWorld({ 'home/.config/x': '' });
    chmodSync(join(root, 'home/.config'), 0o700);
    const { stdout } = await run('trust', path, '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
    expect(existsSync(file)).toBe(false);
  });

  it('does not cover targets of links that lead outside', async () => {
    const { run, root, trusts } = makeWorld({
      'evil/trap/SKILL.md': skillFile({ name: 'trap', description: 'x' }),
    });
    symlinkSync(join(root, 'evil'), join(root, 'repo/.agents-link'));
    renameSync(join(root, 'repo/.claude/skills'), join(root, 'repo/.claude/old'));
    symlinkSync(join(root, 'evil'), join(root, 'repo/.claude/skills'));
    const { stdout } = await run('trust', '.', '--yes');
    expect(stdout).not.toContain('trap');
    expect(await trusts('--no-user')).toEqual({ 'build project': 'trusted', 'trap anthropic': 'untrusted' });
  });
});

describe('an unusable trust file', () => {
  const broken = { 'home/.config/skillwright/trust.json': '{ "version": 1, "entries": [' };

  it.each([[], ['build']])('is an error in doctor %j', async (...skill) => {
    const { run, file, context } = makeWorld(broken);
    const { code, stdout, stderr } = await run('doctor', ...skill);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('error trust-file-invalid');
    expect(await readJson(['doctor', ...skill], context)).toMatchObject({ trustFile: file, counts: { errors: 1 } });
  });

  it('is a warning in validate, which runs no skill', async () => {
    const { run } = makeWorld(broken);
    const { code, stderr } = await run('validate', 'skills');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: The trust file ~\/\.config\/skillwright\/trust\.json cannot be used: it is not JSON\./,
    );
  });

  it.each([
    [['run', 'build', 'x.mjs']],
    [['call', 'go']],
    [['call']],
    [['chat', 'Build it.', '--model', 'demo']],
    [['list']],
    [['show', 'build']],
    [['invoke', 'build']],
    [['match', 'Build it.']],
    [['eval']],
  ])('lets %j use no skill, not even from a named place', async (words) => {
    const { run, file, root } = makeWorld({
      'repo/skills/build/x.mjs': 'console.log("ran");',
      'repo/skills/build/tools.json': JSON.stringify([{ name: 'go', description: 'x', script: 'x.mjs' }]),
    });
    await run('trust', '--block', 'skills');
    if (posix) chmodSync(file, 0o666);
    else writeFileSync(file, '{');
    for (const place of [[], ['--dir', 'skills'], ['--dir', join(root, 'repo/skills/build')]]) {
      const { code, stdout, stderr } = await run(...words, ...place);
      expect({ code, stdout }).toEqual({ code: 126, stdout: '' });
      expect(stderr).toMatch(
        /^error: No skill is used, because the skills that you blocked are unknown\. The trust file .*\n {2}\S/,
      );
      const asJson = JSON.parse((await run(...words, ...place, '--json')).stdout) as object;
      expect(asJson).toMatchObject({ error: { code: 'TrustFileUnusable', data: { path: file } } });
    }
  });

  it('is neither listed nor overwritten', async () => {
    const { run, file } = makeWorld(broken);
    for (const args of [
      ['skills'],
      ['skills', '--yes'],
      [],
      ['--list'],
      ['--remove', 'skills'],
      ['--block', 'skills'],
    ]) {
      const { code, stderr } = await run('trust', ...args);
      expect(code).toBe(1);
      expect(stderr).toContain('cannot be used: it is not JSON');
      expect(stderr).not.toContain('The message');
    }
    expect(readFileSync(file, 'utf8')).toBe(broken['home/.config/skillwright/trust.json']);
  });

  it.skipIf(!posix)('is reported with the remedy if others may write to it', async () => {
    const { run, file, trusts } = makeWorld();
    await run('trust', 'skills', '--yes');
    chmodSync(file, 0o666);
    expect((await run('list')).stderr).toMatch(/can be changed by other users \(mode 0666\).*\n {2}chmod 600/);
    chmodSync(file, 0o600);
    expect(await trusts('--no-user')).toMatchObject({ 'build project': 'trusted' });
  });
});

describe('SKILLWRIGHT_TRUST_FILE', () => {
  it('moves the file', async () => {
    const { root, context } = makeWorld();
    const file = join(root, 'elsewhere/trust.json');
    await runHere(['trust', 'skills', '--yes'], { ...context, env: { SKILLWRIGHT_TRUST_FILE: file } });
    expect(existsSync(file)).toBe(true);
    const { stdout } = await runHere(['trust', '--list'], context);
    expect(stdout).toMatch(/^There are no records/);
  });

  it('must be an absolute path', async () => {
    const { context } = makeWorld();
    const { code, stderr } = await runHere(['list'], { ...context, env: { SKILLWRIGHT_TRUST_FILE: 'trust.json' } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('absolute path') as string });
  });

  it.skipIf(!posix)('is shared by concurrent commands without losing records', () => {
    const { root } = makeWorld();
    const options = { cwd: join(root, 'repo'), env: { SKILLWRIGHT_TRUST_FILE: join(root, 'config/trust.json') } };
    const { code } = spawnBash(
      '$CLI trust skills --yes & $CLI trust .claude/skills --yes & $CLI trust --block skills/build & wait',
      options,
    );
    expect(code).toBe(0);
    const { entries } = JSON.parse(spawnCli(['trust', '--list', '--json'], options).stdout) as { entries: unknown[] };
    expect(entries).toHaveLength(3);
  });
});

describe('the tour', () => {
  it('shows its skills as trusted', async () => {
    const { stdout } = await runHere(['tour', '--no-pause']);
    expect(stdout).not.toContain('additional*');
  });
});

describe('help as JSON', () => {
  it('lists every command, or shows all details of the named one', async () => {
    const overview = await readJson<{ commands: { name: string }[]; options: { name: string }[] }>(['--help']);
    expect(overview.commands.map(({ name }) => name)).toContain('trust');
    expect(overview.options.map(({ name }) => name)).toContain('--json');
    const command = await readJson<Record<string, unknown>>(['trust', '--help']);
    expect(command).toMatchObject({
      name: 'trust',
      usage: 'npx skillwright trust [path] [options]',
      arguments: [{ name: 'path', required: false }],
      options: expect.arrayContaining([expect.objectContaining({ name: '--block', type: 'boolean' })]) as unknown,
    });
    expect(await readJson(['help', 'trust'])).toEqual(command);
  });

  it('refuses an empty path, which an unset variable would give', async () => {
    const { code, stderr } = await runHere(['trust', '', '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The path is empty.') as string]);
  });
});
