import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory, readJson, repository, runHere, skillFile, spawnCli } from './cli-runner.ts';
import { hasBubblewrap } from './running/running-cli.ts';

const tool = (name: string): string => JSON.stringify([{ name, description: 'x' }]);

function makeTroubled(): string {
  const root = makeDirectory({
    'skills/alpha/SKILL.md': skillFile({ name: 'alpha', description: 'first' }),
    'skills/alpha/tools.json': tool('clash'),
    'skills/beta/SKILL.md': skillFile({ name: 'beta', description: 'Use when: x' }),
    'skills/beta/tools.json': tool('clash'),
    'skills/broken/SKILL.md': '---\nname: broken\n---\n',
    '.claude/skills/alpha/SKILL.md': skillFile({ name: 'alpha', description: 'second' }),
    'skills/needy/SKILL.md': [
      '---',
      'name: needy',
      'description: x',
      'requires:',
      '  bins: [present, absent]',
      '  anyBins: [absent1, absent2]',
      '  env: [GIVEN, LACKING]',
      '  os: [plan9]',
      '---',
      'x',
    ].join('\n'),
    'bin/present': '',
    'bin/absent': '',
  });
  chmodSync(join(root, 'bin/present'), 0o755);
  return root;
}

const contextOf = (cwd: string) => ({
  cwd,
  home: join(cwd, 'home'),
  env: { PATH: join(cwd, 'bin'), GIVEN: '1', LACKING: '' },
});

describe('skillwright doctor', () => {
  it('reports no problems for the sample skills', () => {
    const { code, stdout, stderr } = spawnCli(['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Places\n {2}skills +project +\d+ skills\n {2}\.claude\/skills +anthropic +missing\n/);
    expect(stdout).toMatch(
      hasBubblewrap ? /\n✓ \d+ skills, no problems\n$/ : /\n✓ \d+ skills: \d+ skills that cannot run here\n$/,
    );
  });

  it.skipIf(process.platform === 'win32')('reports findings with their places, problems and remedies', async () => {
    const { code, stdout } = await runHere(['doctor'], contextOf(makeTroubled()));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}skills +project +3 skills, 1 refused$/m);
    expect(stdout).toMatch(/^ {2}\.claude\/skills +anthropic +1 skill$/m);
    expect(stdout).toMatch(/^ {2}home\/\.claude\/skills +personal +missing$/m);
    expect(stdout).toMatch(
      /^Refused\n {2}broken\n {4}skills\/broken\/SKILL\.md:1 error description-absent .*\n {6}→ Add a `description:`/m,
    );
    expect(stdout).toMatch(/^Problems\n {2}beta\n {4}skills\/beta\/SKILL\.md:3 warning yaml-quoted .*\n {6}→ /m);
    expect(stdout).toMatch(
      /^ {2}- alpha in \.claude\/skills\/alpha\/SKILL\.md is replaced by skills\/alpha\/SKILL\.md: use it as\s+anthropic\/alpha$/m,
    );
    expect(stdout).toContain('- clash of beta is replaced by the tool of alpha');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `needy needs the program absent (not on PATH), the program absent1 or absent2 (not on PATH), the environment variable LACKING (not set), the operating system plan9 (this is ${process.platform})`,
    );
    expect(stdout).toMatch(
      /\n✗ 3 skills: 1 error, 3 warnings, 1 skill with missing requirements, 3 skills that cannot run here\n$/,
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'cannot run here, because no sandbox is available: bwrap is not on the PATH.',
    );
    expect(stdout).toMatch(/^Environment variables to pass with --env\n {2}- needy gets GIVEN only with --env GIVEN$/m);
  });

  it('names skills that nothing loads, and how to reach them', async () => {
    const cwd = makeDirectory({
      '.claude-plugin/plugin.json': '{ "name": "kit" }',
      'agent/one/SKILL.md': skillFile({ name: 'one', description: 'x' }),
      '.claude/skills/outer/SKILL.md': skillFile({ name: 'outer', description: 'x' }),
      '.claude/skills/outer/parts/two/SKILL.md': skillFile({ name: 'two', description: 'x' }),
    });
    const { code, stdout } = await runHere(['doctor', '--no-user'], { cwd, home: join(cwd, 'home') });
    expect(code).toBe(0);
    expect(stdout).toMatch(/skill-nested 1 skill inside 'outer' is not loaded, .*: parts\/two\.$/m);
    expect(stdout).toMatch(/--dir\s+\.claude\/skills\/outer\/parts\/two/);
    expect(stdout).toMatch(
      /plugin-skills-unlisted Plugin 'kit' does not include 1 skill in its directory: agent\/one\.$/m,
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Add "skills":["./agent"] to its manifest');
    const places = await runHere(['validate', '.claude/skills'], { cwd });
    expect(places.stdout).toContain("1 skill inside 'outer' is not loaded");
  });

  it.skipIf(process.platform === 'win32')('reports the same as JSON', async () => {
    const cwd = makeTroubled();
    const report = await readJson<Record<string, unknown>>(['doctor'], contextOf(cwd));
    expect(report).toMatchObject({
      skills: 3,
      counts: { errors: 1, warnings: 3, infos: 0 },
      hidden: [{ name: 'alpha', by: join(cwd, 'skills/alpha/SKILL.md'), reachableAs: 'anthropic/alpha' }],
      refused: [{ directoryName: 'broken', diagnostics: [{ code: 'description-absent' }] }],
      problems: [{ subject: 'beta', diagnostics: [{ code: 'yaml-quoted', line: 3 }] }],
      toolClashes: [{ tool: 'clash', skill: 'beta', by: 'alpha' }],
      missing: [
        {
          skill: 'needy',
          requirements: [
            { kind: 'bin', anyOf: ['absent'] },
            { kind: 'bin', anyOf: ['absent1', 'absent2'] },
            { kind: 'env', anyOf: ['LACKING'] },
            { kind: 'os', anyOf: ['plan9'] },
          ],
        },
      ],
      ungranted: [{ skill: 'needy', variables: ['GIVEN'] }],
      noSandbox: {
        skills: 3,
        reason: 'bwrap is not on the PATH.',
        remedy: expect.stringContaining('bubblewrap') as string,
      },
    });
    expect(report.locations).toContainEqual({
      path: join(cwd, 'skills'),
      source: 'project',
      state: 'searched',
      skills: 3,
      refused: 1,
      repeated: 0,
    });
    expect(report.locations).toContainEqual(
      expect.objectContaining({ path: join(cwd, '.agents/skills'), state: 'missing' }),
    );
  });

  it('does not mention sandboxes if every skill is trusted', async () => {
    const cwd = makeTroubled();
    const report = await readJson<Record<string, unknown>>(['doctor', '--dir', 'skills'], contextOf(cwd));
    expect(report).toMatchObject({ untrusted: [], noSandbox: null });
  });

  it('says how to create a first skill if there is none', async () => {
    const { code, stdout } = await runHere(['doctor'], { cwd: makeDirectory({ 'skills/.keep': '' }) });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\n✓ 0 skills, no problems\n\nA skill is a directory with a SKILL\.md\. .*\n {2}npx skillwright init --tool js\n$/,
    );
    expect((await runHere(['doctor'], contextOf(makeTroubled()))).stdout).not.toContain('A skill is a directory');
  });

  it.skipIf(process.platform === 'win32')('reports on one skill when it is named', async () => {
    const cwd = makeTroubled();
    const context = contextOf(cwd);
    const needy = await runHere(['doctor', 'needy'], context);
    expect(needy.code).toBe(0);
    expect(needy.stdout).toContain('needy needs the program absent');
    expect(needy.stdout).toContain('needy gets GIVEN only with --env GIVEN');
    expect(needy.stdout).not.toMatch(/alpha|beta|broken/);
    expect(needy.stdout).toMatch(/\n✓ 1 skill: 1 skill with missing requirements, 1 skill that cannot run here\n$/);
    const beta = await readJson<Record<string, unknown>>(['doctor', 'beta'], context);
    expect(beta).toMatchObject({
      skills: 1,
      counts: { errors: 0, warnings: 1, infos: 0 },
      locations: [{ path: join(cwd, 'skills') }],
      problems: [{ subject: 'beta', diagnostics: [{ code: 'yaml-quoted' }] }],
      toolClashes: [{ tool: 'clash', skill: 'beta', by: 'alpha' }],
      untrusted: [{ skills: ['beta'] }],
      refused: [],
      missing: [],
      hidden: [],
      noSandbox: { skills: 1 },
    });
    expect(await readJson(['doctor', 'alpha'], context)).toMatchObject({ hidden: [{ name: 'alpha' }], problems: [] });
  });

  it('says why a named skill was refused or blocked, and what to do if it does not exist', async () => {
    const cwd = makeTroubled();
    const context = contextOf(cwd);
    const broken = await runHere(['doctor', 'broken'], context);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^Refused\n {2}broken\n/m);
    expect(broken.stdout).toMatch(/\n✗ 0 skills: 1 error\n$/);
    await runHere(['trust', '--block', 'skills/beta'], context);
    expect((await runHere(['doctor', 'beta'], context)).stdout).toContain(
      '- beta in skills/beta/SKILL.md is blocked by',
    );
    const unknown = await runHere(['doctor', 'alhpa'], context);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(/^error: Skill 'alhpa' not found\. Did you mean 'alpha'\?/);
  });

  it('succeeds if something is only missing on this machine, or is worth only a warning', async () => {
    const cwd = makeDirectory({
      'skills/odd/SKILL.md': skillFile({
        name: 'odd',
        description: 'Use when: x',
        requires: '{ bins: [no-such-program] }',
      }),
    });
    const { code, stdout } = await runHere(['doctor'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('odd needs the program no-such-program');
    expect((await runHere(['doctor', '--strict'], { cwd })).code).toBe(1);
  });

  it("assigns a plugin's skills to the plugin, even in its own directory", async () => {
    const cwd = join(repository, 'test/fixtures/seed-002/anthropic-plugin');
    const { code, stdout } = await runHere(['doctor', '--no-user'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}\. +plugin +2 skills$/m);
    const shown = await runHere(['show', 'demo-plugin:data-processor', '--no-user'], { cwd });
    expect(shown.code).toBe(0);
  });

  it('reports a bare name that two plugins share', async () => {
    const cwd = makeDirectory({
      'one/.claude-plugin/plugin.json': '{"name": "one"}',
      'one/skills/same/SKILL.md': skillFile({ name: 'same', description: 'x' }),
      'two/.claude-plugin/plugin.json': '{"name": "two"}',
      'two/skills/same/SKILL.md': skillFile({ name: 'same', description: 'x' }),
    });
    const { stdout } = await runHere(['doctor', '--dir', 'one', '--dir', 'two'], { cwd });
    expect(stdout).toMatch(/^ {2}two:same\n {4}\S+ warning skill-shadowed 'same' means the skill 'one:same'/m);
  });
});
