import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMemorySource, SkillManager, type SkillMetadata } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';
import { checkDirectory, type CompatReport } from './check-directory.ts';
import { compareFields } from './field-comparison.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

function run(...options: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/compat.ts', ...options], {
    cwd: repository,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('npm run test:compat', () => {
  it.each([
    ['skills', 9],
    ['test/fixtures/seed-000', 3],
    ['test/fixtures/seed-001', 1],
    ['test/fixtures/seed-002', 6],
    ['test/fixtures/wild', 115],
  ])('finds no problem in %s', (directory, count) => {
    proves('S2.TR-3.plugins', 'S2.goal.anthropic-compatible');
    const { status, stdout, stderr } = run(directory);
    expect(stdout).not.toContain('FAILED');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^All ${count} fine\\.$`, 'm'));
  });

  it('prints the whole report as JSON', () => {
    const { status, stdout } = run('--json', 'skills', 'test/fixtures/seed-002');
    const report = JSON.parse(stdout) as { directories: CompatReport[]; files: number; failures: number };
    expect({ status, files: report.files, failures: report.failures }).toEqual({ status: 0, files: 15, failures: 0 });
    expect(report.directories[1]).toMatchObject({
      files: 6,
      read: 6,
      compared: 6,
      repaired: 0,
      refused: {},
      failures: [],
      diagnostics: { 'marketplace-remote': 2 },
    });
  });

  it.each([
    [['--help'], 0, /Usage: .*--json/],
    [[], 2, /^$/],
    [['--bogus', 'skills'], 2, /^$/],
    [['no/such/directory'], 2, /^$/],
  ])(
    'prints help on request, and the usage as an error if the arguments are invalid: %j',
    (options, status, stdout) => {
      const answer = run(...options);
      expect(answer.status).toBe(status);
      expect(answer.stdout).toMatch(stdout);
      expect(answer.stderr).toMatch(status === 0 ? /^$/ : /Usage: /);
    },
  );

  it('exits with 1 and lists each failure', () => {
    // Exceeds the limit on frontmatter, which no honest skill comes near.
    const tree = createSkillTree({
      'vast/SKILL.md': `---\nname: vast\ndescription: Vast.\nx: ${'x'.repeat(300_000)}\n---\n`,
    });
    const { status, stdout } = run(tree.root);
    expect(status).toBe(1);
    expect(stdout).toContain(`FAILED refused: ${tree.path('vast/SKILL.md')}`);
    expect(stdout).toContain('1 failures in 1 files.');
    expect(JSON.parse(run('--json', tree.root).stdout)).toMatchObject({
      failures: 1,
      directories: [{ failures: [{ kind: 'refused' }] }],
    });
  });
});

describe('a compatibility check', () => {
  const files = {
    'good/SKILL.md': goodSkill('good'),
    'Odd/SKILL.md': goodSkill('Odd'),
    'colon/SKILL.md': '---\nname: colon\ndescription: Use when: asked\n---\n',
    'empty/SKILL.md': '',
    'good/examples/inner/SKILL.md': goodSkill('inner'),
    'case/SKILL.md': goodSkill('case'),
    'case/skill.md': goodSkill('case'),
  };

  it('counts the read, repaired, refused, reported and nested skills', async () => {
    const tree = createSkillTree(files);
    expect(await checkDirectory(tree.root)).toMatchObject({
      files: 6,
      read: 4,
      repaired: 1,
      compared: 3,
      refused: { 'file-empty': 1 },
      reported: 1,
      nested: 1,
      failures: [],
    });
  });

  it('fails on a skill that is refused although it could be read', async () => {
    const { failures } = await checkDirectory(createSkillTree(files).root, { strict: true });
    expect(failures.map(({ kind, path }) => [kind, path.split(/[\\/]/).at(-2)])).toEqual([
      ['refused', 'Odd'],
      ['refused', 'colon'],
    ]);
    expect(failures[0]?.detail).toMatch(/capital letters.*SKILL\.md:2\)$/);
  });

  it('fails on a skill that is dropped silently', async () => {
    const { failures } = await checkDirectory(createSkillTree(files).root, { sources: [createMemorySource([])] });
    expect(failures).toHaveLength(6);
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['dropped']));
  });

  it.each<[string, object, Partial<SkillMetadata>, string[]]>([
    [
      'nothing',
      { name: 'x', description: ' d ', 'allowed-tools': 'A, B', tags: ['t'], version: '1.0.0', extra_1: [1] },
      { allowedTools: ['A', 'B'], tags: ['t'], version: '1.0.0', extra: { extra_1: [1] } },
      [],
    ],
    ['a name', { name: 'y' }, {}, ['name']],
    ['a description', { name: 'x', description: 'other' }, {}, ['description']],
    ['tools', { name: 'x', 'allowed-tools': 'A, B' }, { allowedTools: ['A'] }, ['allowedTools']],
    ['a version', { name: 'x', version: '1.0.1' }, { version: '1.0.0' }, ['version']],
    ['tags', { name: 'x', tags: 'a', category: 'b' }, { tags: ['a'] }, ['tags']],
    ['tags that were not written', { name: 'x' }, { tags: ['a'] }, ['tags']],
    ['metadata', { name: 'x', metadata: { a: 1 } }, { metadata: { a: '1' } }, ['metadata']],
    ['an unknown field', { name: 'x', 'my field': 1 }, {}, ['extra.my field']],
  ])('fails only if a written value is read differently: %s', (_what, fields, read, expected) => {
    const skill: SkillMetadata = {
      name: 'x',
      description: 'd',
      disableModelInvocation: false,
      qualifiedName: 'x',
      directoryName: 'x',
      filePath: '',
      baseDir: '',
      source: 'memory',
      trust: 'trusted',
      tools: [],
      ...read,
    };
    expect(compareFields(fields as Record<string, unknown>, skill).map(({ field }) => field)).toEqual(expected);
  });
});

describe('the skills that ship with the project', () => {
  const manager = new SkillManager({ projectSkillDir: `${repository}/skills`, strict: true });

  it('follow the written rules', () => {
    const { skills, errors } = manager.discoverSync();
    expect(errors).toEqual([]);
    expect(skills.length).toBeGreaterThanOrEqual(6);
  });

  it('say in their description what they do and when to use them', () => {
    proves('S2.TS-1.description-practice');
    for (const { description, name } of manager.listSkills()) {
      expect({ name, description }).toEqual({
        name,
        description: expect.stringMatching(/^[A-Z][a-z]+ .+\. Use when /) as string,
      });
    }
  });

  it('can all be loaded', async () => {
    for (const { name } of manager.listSkills())
      expect((await manager.loadSkill(name)).content.length).toBeGreaterThan(200);
  });
});
