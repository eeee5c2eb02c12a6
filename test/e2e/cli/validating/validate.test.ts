import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DIAGNOSTIC_DATA } from '../../../../packages/skillwright/src/spec/diagnostics/diagnostic-data.ts';
import { proves } from '../../../proves.ts';
import { makeDirectory, readJson, repository, runHere, skillFile, spawnCli } from '../cli-runner.ts';

const good = skillFile({ name: 'good', description: 'Does it. Use when asked.' });

/** A skill with an error at a line, one with a warning, and one without problems. */
const mixed = {
  'skills/good/SKILL.md': good,
  'skills/colon/SKILL.md': skillFile({ name: 'colon', description: 'Use when: x' }),
  'skills/bash/SKILL.md': skillFile({ name: 'bash', description: 'x', 'allowed-tools': 'Read' }),
  'skills/bash/scripts/run.sh': 'true\n',
};

interface Validation {
  valid: boolean;
  skills: number;
  errors: number;
  warnings: number;
  infos: number;
  diagnostics: { code: string; severity: string; path: string; line?: number; message: string; hint?: string }[];
}

describe('skillwright validate', () => {
  it('finds no problem in the sample skills', () => {
    const { code, stdout, stderr } = spawnCli(['validate']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ \d+ skills checked, no problems\n$/);
  });

  it('reports a merge conflict in the frontmatter or the instructions', async () => {
    const conflict = '<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> topic\n';
    const cwd = makeDirectory({
      'skills/head/SKILL.md': '---\nname: head\n<<<<<<< HEAD\ndescription: One.\n=======\n>>>>>>> topic\n---\nText.\n',
      'skills/body/SKILL.md': `${skillFile({ name: 'body', description: 'x' })}\n${conflict}`,
      'skills/sample/SKILL.md': `${skillFile({ name: 'sample', description: 'x' })}\n\`\`\`\n${conflict}\`\`\`\n`,
    });
    const { diagnostics } = JSON.parse(spawnCli(['validate', 'skills', '--json'], { cwd }).stdout) as Validation;
    expect(diagnostics.map(({ code, path, line }) => [code, path, line])).toEqual([
      ['merge-conflict', 'skills/body/SKILL.md', undefined],
      ['merge-conflict', 'skills/head/SKILL.md', 3],
    ]);
    expect(diagnostics[0]?.message).toMatch(/^Line \d+ of the instructions begins a merge conflict\.$/);
  });

  it('reports only those JavaScript handlers that would not run', () => {
    const handlers = {
      good: 'export default () => 1;',
      named: 'const handler = () => 1;\nexport { handler };',
      common: 'module.exports = () => require("node:os").EOL;',
      broken: 'const one = 1;\nexport default () => { return one;;; ]',
      silent: 'const handler = () => 1;',
    };
    const tools = Object.keys(handlers).map((name) => ({
      name,
      description: 'Answers.',
      script: `${name}.js`,
      parameters: {},
    }));
    const cwd = makeDirectory({
      'package.json': '{"type":"commonjs"}',
      'skills/good/SKILL.md': good,
      'skills/good/tools.json': JSON.stringify(tools),
      ...Object.fromEntries(Object.entries(handlers).map(([name, code]) => [`skills/good/${name}.js`, code])),
    });
    const found = [
      { code: 'tool-handler-invalid', severity: 'error', path: 'skills/good/broken.js' },
      { code: 'tool-handler-missing', severity: 'error', path: 'skills/good/silent.js' },
    ];
    const { diagnostics } = JSON.parse(spawnCli(['validate', '--json'], { cwd }).stdout) as Validation;
    expect(diagnostics).toMatchObject(found);
    expect(diagnostics[0]?.message).toContain("Unexpected token ']'");
    const doctor = spawnCli(['doctor', '--json', '--dir', 'skills'], { cwd });
    expect(doctor.stdout).toContain('tool-handler-invalid');
    expect(doctor.stdout).toContain('tool-handler-missing');
  });

  it('shows file, line, code, reason and remedy of each finding, grouped by file', () => {
    proves('S2.EH-2.parse-message', 'S2.FR-6.3.bash', 'S2.FR-2.AC.clear-errors');
    const { code, stdout } = spawnCli(['validate'], { cwd: makeDirectory(mixed) });
    expect(code).toBe(1);
    const groups = stdout.split('\n\n');
    expect(groups[0]).toMatch(
      /^skills\/bash\/SKILL\.md(:\d+)? warning scripts-need-bash The skill bundles scripts.*\n {2}→ Add `Bash`/,
    );
    expect(groups[1]).toMatch(
      /^skills\/colon\/SKILL\.md:3 error yaml-quoted The value of 'description' is not valid YAML .*\n {2}→ Put the value/,
    );
    expect(groups[2]).toBe('✗ 3 skills checked: 1 error, 1 warning\n');
  });

  it.each([
    ['a missing description', '---\nname: case\n---\nText.\n', 'description-missing', /'?description/],
    ['a missing name', '---\ndescription: x\n---\nText.\n', 'name-missing', /name/],
    ['a name that is not the directory', skillFile({ name: 'other', description: 'x' }), 'name-mismatch', /other/],
    ['no frontmatter', 'Just text.\n', 'frontmatter-missing', /frontmatter/],
    ['an empty file', '', 'file-empty', /empty/],
    [
      'a description of 1,025 characters',
      skillFile({ name: 'case', description: 'x'.repeat(1_025) }),
      'description-long',
      /1,?025/,
    ],
    ['a code engine', '---js\nmodule.exports = {}\n---\n', 'frontmatter-engine', /engine/],
  ])('reports %s as an error', async (_what, text, expected, message) => {
    const cwd = makeDirectory({ 'skills/case/SKILL.md': text });
    const { code, stdout } = await runHere(['validate', '--json'], { cwd });
    const { valid, diagnostics } = JSON.parse(stdout) as Validation;
    expect({ code, valid }).toEqual({ code: 1, valid: false });
    const found = diagnostics.find((diagnostic) => diagnostic.code === expected);
    expect(found).toMatchObject({ severity: 'error', path: join('skills', 'case', 'SKILL.md') });
    expect(found?.message).toMatch(message);
  });

  it('also checks the instructions: invalid bytes are an error, and an empty body is a warning', async () => {
    const head = Buffer.from(skillFile({ name: 'bytes', description: 'x' }, 'x'.repeat(5_000)));
    const cwd = makeDirectory({
      'skills/bytes/SKILL.md': Buffer.concat([head, Buffer.from([0xff])]),
      'skills/hollow/SKILL.md': '---\nname: hollow\ndescription: x\n---\n\n  \n',
    });
    const { errors, warnings, diagnostics } = await readJson<Validation>(['validate'], { cwd });
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'error text-malformed',
      'warning body-empty',
    ]);
    expect({ errors, warnings }).toEqual({ errors: 1, warnings: 1 });
  });

  it('checks exactly the given paths: a skill, a SKILL.md, several skills, a directory or a plugin', async () => {
    const cwd = makeDirectory({
      ...mixed,
      'plugin/.claude-plugin/plugin.json': '{"name": "p"}',
      'plugin/skills/good/SKILL.md': good,
    });
    const check = async (...paths: string[]) => {
      const { skills, errors } = await readJson<Validation>(['validate', ...paths], { cwd });
      return { skills, errors };
    };
    expect(await check('skills/good')).toEqual({ skills: 1, errors: 0 });
    expect(await check('skills/good/SKILL.md')).toEqual({ skills: 1, errors: 0 });
    expect(await check('skills/good', 'skills/colon')).toEqual({ skills: 2, errors: 1 });
    expect(await check('skills')).toEqual({ skills: 3, errors: 1 });
    expect(await check('plugin')).toEqual({ skills: 1, errors: 0 });
  });

  it('shows paths outside the working directory relative to it', async () => {
    const root = makeDirectory({ 'there/colon/SKILL.md': mixed['skills/colon/SKILL.md'], 'here/file': '' });
    const { diagnostics } = await readJson<Validation>(['validate', '../there'], { cwd: join(root, 'here') });
    expect(diagnostics[0]?.path).toBe(join('..', 'there', 'colon', 'SKILL.md'));
  });

  it('reports errors in tools.json together with those in SKILL.md', async () => {
    const skill = '---\nname: Wrong Name\ndescription: Does it.\n---\nText.\n';
    const cwd = makeDirectory({ 'skills/both/SKILL.md': skill, 'skills/both/tools.json': '[{},]' });
    const { diagnostics } = await readJson<Validation>(['validate', 'skills'], { cwd });
    expect(diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining(['name-invalid', 'tools-invalid']));
  });

  it('fails when there is nothing to check', async () => {
    const cwd = makeDirectory({ 'empty/file.txt': '', 'skills/good/SKILL.md': good });
    expect(await runHere(['validate', 'empty'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: There is no skill to check in empty.\n  A skill is a directory with a SKILL.md.\n',
    });
    expect(await runHere(['validate', 'skills', 'empty'], { cwd })).toMatchObject({ code: 1 });
    expect(await runHere(['validate'], { cwd: join(cwd, 'empty') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no skill to check in skills, .claude/skills') as string,
    });
    expect((await runHere(['validate', 'empty/file.txt'], { cwd })).stderr).toContain(
      'neither a directory nor a SKILL.md',
    );
    for (const args of [['--json'], ['--format', 'json']]) {
      const { code, stdout, stderr } = await runHere(['validate', 'nowhere', ...args], { cwd });
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'PathNotFound', message: 'nowhere does not exist.' } });
    }
  });

  it.skipIf(process.platform === 'win32')('names broken links when it finds no skill to check', async () => {
    const cwd = makeDirectory({ 'skills/file': '' });
    symlinkSync('nowhere', join(cwd, 'skills/dangling'));
    const { code, stderr } = await runHere(['validate', 'skills'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: There is no skill to check in skills\.\n {2}.*skills\/dangling.*\n {2}A skill is/);
  });

  it('counts warnings against --max-warnings', async () => {
    const cwd = makeDirectory({
      'skills/bash/SKILL.md': mixed['skills/bash/SKILL.md'],
      'skills/bash/scripts/run.sh': '',
    });
    expect(await runHere(['validate'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ 1 skill checked: no errors, 1 warning\n$/) as string,
    });
    expect(await runHere(['validate', '--max-warnings', '1'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(await runHere(['validate', '--max-warnings=0'], { cwd })).toMatchObject({
      code: 1,
      stderr: 'error: 1 warning, and --max-warnings allows 0.\n',
    });
  });

  it.skipIf(process.platform === 'win32')('reports a broken link and continues', async () => {
    const cwd = makeDirectory({ 'skills/good/SKILL.md': good });
    symlinkSync('nowhere', join(cwd, 'skills/dangling'));
    const { skills, diagnostics } = await readJson<Validation>(['validate'], { cwd });
    expect(skills).toBe(1);
    expect(diagnostics).toMatchObject([{ code: 'link-broken', path: 'skills/dangling' }]);
  });
});

describe('--format sarif', () => {
  interface Sarif {
    $schema: string;
    version: string;
    runs: {
      tool: {
        driver: {
          name: string;
          version: string;
          rules: { id: string; shortDescription: { text: string }; defaultConfiguration: { level: string } }[];
        };
      };
      results: {
        ruleId: string;
        ruleIndex: number;
        level: string;
        message: { text: string };
        locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[];
      }[];
    }[];
  }

  it('is a log of version 2.1.0 whose results refer to rules and places', () => {
    const cwd = makeDirectory({ ...mixed, 'skills/sp ace#/SKILL.md': skillFile({ name: 'x', description: 'x' }) });
    const { code, stdout } = spawnCli(['validate', '--format', 'sarif'], { cwd });
    expect(code).toBe(1);
    const log = JSON.parse(stdout) as Sarif;
    expect(log).toMatchObject({
      $schema: expect.stringContaining('sarif-2.1.0') as string,
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'skillwright' } } }],
    });
    const [run] = log.runs;
    const rules = run?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(Object.keys(DIAGNOSTIC_DATA));
    expect(rules.every((rule) => ['error', 'warning', 'note'].includes(rule.defaultConfiguration.level))).toBe(true);
    expect(rules.every((rule) => rule.shortDescription.text.endsWith('.'))).toBe(true);
    const results = run?.results ?? [];
    for (const result of results) {
      expect(rules[result.ruleIndex]?.id).toBe(result.ruleId);
      expect(['error', 'warning', 'note']).toContain(result.level);
      expect(result.message.text).not.toBe('');
      const [location] = result.locations;
      expect(location?.physicalLocation.artifactLocation.uri).toMatch(/^skills\/[\w%]+\/SKILL\.md$/);
      expect(location?.physicalLocation.region.startLine).toBeGreaterThanOrEqual(1);
    }
    expect(results.find(({ ruleId }) => ruleId === 'yaml-quoted')).toMatchObject({
      level: 'error',
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'skills/colon/SKILL.md' }, region: { startLine: 3 } } },
      ],
    });
    expect(results.find(({ ruleId }) => ruleId === 'scripts-need-bash')?.level).toBe('warning');
    expect(
      results.find(({ ruleId }) => ruleId === 'name-mismatch')?.locations[0]?.physicalLocation.artifactLocation.uri,
    ).toBe('skills/sp%20ace%23/SKILL.md');
  });

  it('uses file URLs outside the working directory, and has no results without findings', async () => {
    const root = makeDirectory({ 'there/colon/SKILL.md': mixed['skills/colon/SKILL.md'], 'here/file': '' });
    const outside = JSON.parse(
      (await runHere(['validate', '../there', '--format', 'sarif'], { cwd: join(root, 'here') })).stdout,
    ) as Sarif;
    expect(outside.runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(
      pathToFileURL(join(root, 'there/colon/SKILL.md')).href,
    );
    const { code, stdout } = await runHere(['validate', '--format', 'sarif', join(repository, 'skills')]);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Sarif).runs[0]?.results).toEqual([]);
  });
});

describe('--format github', () => {
  it('prints annotations', async () => {
    const { code, stdout } = await runHere(['validate', '--format', 'github'], { cwd: makeDirectory(mixed) });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^::error file=skills\/colon\/SKILL\.md,line=3,title=yaml-quoted::The value of 'description'.*%0APut the value/m,
    );
    expect(stdout).toMatch(/^::warning file=skills\/bash\/SKILL\.md,.*title=scripts-need-bash::/m);
    expect(stdout).toMatch(/\n3 skills checked: 1 error, 1 warning\n$/);
  });

  it.skipIf(process.platform === 'win32')('escapes characters that would end a property or a command', async () => {
    const cwd = makeDirectory({
      'skills/50%,a:b\n::error::x/SKILL.md': skillFile({ name: '"100% ok\\n::error::y"', description: 'x' }),
    });
    const { stdout } = await runHere(['validate', '--format', 'github'], { cwd });
    const lines = stdout.trimEnd().split('\n');
    expect(
      lines
        .slice(0, -1)
        .every((line) =>
          /^::error file=skills\/50%25%2Ca%3Ab%0A%3A%3Aerror%3A%3Ax\/SKILL\.md,line=\d+,title=[\w-]+::/.test(line),
        ),
    ).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
    expect(stdout).toContain('100%25 ok');
    expect(lines.filter((line) => line.startsWith('::error::'))).toEqual([]);
  });
});
