import { describe, expect, it } from 'vitest';
import { SkillManager, SkillParsingError, SkillValidationError } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, skillText } from '../support/skill-tree.ts';

function open(content: string, strict = true): SkillManager {
  const tree = createSkillTree({ 'skills/subject/SKILL.md': content, 'skills/good/SKILL.md': goodSkill('good') });
  return new SkillManager({ cwd: tree.root, strict });
}

const description = 'Does things.';

describe('a strict manager', () => {
  it('refuses an empty file with a parsing error', async () => {
    proves('S2.OP-8.empty-file', 'S2.EH-1.parsing');
    for (const content of ['', ' \n\t\n', '\uFEFF\n']) {
      const manager = open(content);
      expect((await manager.discover()).skills.map(({ name }) => name)).toEqual(['good']);
      await expect(manager.loadSkill('subject')).rejects.toBeInstanceOf(SkillParsingError);
      expect(() => manager.getSkill('subject')).toThrow(SkillParsingError);
    }
  });

  it('refuses content without frontmatter with a validation error', async () => {
    proves('S2.OP-8.content-only', 'S2.FR-1.3.frontmatter-present', 'S2.EH-1.validation');
    const manager = open('# Title\n\nJust text.\n');
    expect(manager.discoverSync()).toMatchObject({
      skills: [{ name: 'good' }],
      errors: [{ type: 'validation' }, {}, {}],
    });
    await expect(manager.loadSkill('subject')).rejects.toBeInstanceOf(SkillValidationError);
  });

  it.each([
    ['a missing name', skillText({ description })],
    ['a missing description', skillText({ name: 'subject' })],
    ['a name with capitals', skillText({ name: 'Subject', description })],
    ['a name with an underscore', skillText({ name: 'sub_ject', description })],
    ['a name with a hyphen at its end', skillText({ name: 'subject-', description })],
    ['a name with two hyphens in a row', skillText({ name: 'sub--ject', description })],
    ['a name of 65 characters', skillText({ name: 'x'.repeat(65), description })],
    ['a name that is not the directory’s', skillText({ name: 'another', description })],
    ['a name with a colon', skillText({ name: 'kit:subject', description })],
    ['a description of 1,025 characters', skillText({ name: 'subject', description: 'x'.repeat(1_025) })],
    ['a compatibility of 501 characters', skillText({ name: 'subject', description, compatibility: 'x'.repeat(501) })],
    ['a field of the wrong type', skillText({ name: 'subject', description, metadata: 'text' })],
    ['an invalid version', skillText({ name: 'subject', description, version: 'latest' })],
  ])('refuses %s as a validation error', (_what, content) => {
    proves(
      'S2.FR-2.3.name',
      'S2.FR-2.3.description',
      'S2.FR-2.1.required',
      'S1.4.dirname-max-64',
      'S1.4.dirname-hyphens',
      'S1.4.dirname-charset',
      'S1.4.name-equals-dir',
      'S2.FR-8.1.missing-field',
      'S2.OP-8.colon',
    );
    const manager = open(content);
    expect(manager.listSkills().map(({ name }) => name)).toEqual(['good']);
    expect(() => manager.getSkill('subject')).toThrow(SkillValidationError);
    expect(manager.diagnostics.find(({ severity }) => severity === 'error')?.line).toBeGreaterThan(0);
  });

  it.each([
    ['a value that is not YAML', '---\nname: subject\ndescription: Use when: asked\n---\n'],
    ['a frontmatter that is never closed', '---\nname: subject\ndescription: Does things.\n'],
    ['a key given twice', '---\nname: subject\ndescription: a\ndescription: b\n---\n'],
    ['frontmatter that is a list', '---\n- name\n---\nText.\n'],
    ['a code engine', '---js\n({})\n---\nText.\n'],
  ])('refuses %s as a parsing error', (_what, content) => {
    proves('S2.FR-2.1.malformed', 'S2.EH-1.parsing');
    const manager = open(content);
    expect(manager.listSkills().map(({ name }) => name)).toEqual(['good']);
    expect(() => manager.getSkill('subject')).toThrow(SkillParsingError);
  });

  it.each([
    ['exactly 64 and 1,024 characters', skillText({ name: 'subject', description: 'x'.repeat(1_024) })],
    ['frontmatter and nothing else', '---\nname: subject\ndescription: Does things.\n---'],
    ['fields of its own', skillText({ name: 'subject', description, 'x-own': '1' })],
    [
      'a byte order mark and CRLF line ends',
      `\uFEFF${skillText({ name: 'subject', description }).replaceAll('\n', '\r\n')}`,
    ],
  ])('accepts %s', (_what, content) => {
    const manager = open(content);
    expect(manager.discoverSync()).toMatchObject({ skills: [{ name: 'good' }, { name: 'subject' }], errors: [] });
  });

  it('accepts names of 64 characters, and lowercase letters of any script', () => {
    const names = ['x'.repeat(64), 'größe', 'навык', '技能', '0'];
    const tree = createSkillTree(
      Object.fromEntries(
        names.map((name) => [`skills/${name}/SKILL.md`, skillText({ name: `"${name}"`, description })]),
      ),
    );
    expect(new SkillManager({ cwd: tree.root, strict: true }).discoverSync()).toMatchObject({
      skills: names.map(() => ({ description })),
      errors: [],
    });
  });

  it('uses the first of two frontmatter blocks, with a warning', () => {
    proves('S2.OP-8.two-blocks');
    for (const strict of [true, false]) {
      const manager = open(
        '---\nname: subject\ndescription: First.\n---\n---\nname: other\ndescription: Second.\n---\nBody.\n',
        strict,
      );
      expect(manager.getSkill('subject').description).toBe('First.');
      expect(manager.diagnostics).toMatchObject([{ code: 'frontmatter-second', severity: 'warning', line: 5 }]);
      expect(manager.loadSkillSync('subject').content).toBe('---\nname: other\ndescription: Second.\n---\nBody.\n');
    }
  });
});

describe('a lenient manager', () => {
  it('names a skill by its directory if its name contains a colon', () => {
    proves('S2.OP-8.colon');
    const manager = open(skillText({ name: 'kit:subject', description }), false);
    expect(manager.getSkill('subject').name).toBe('subject');
    expect(manager.diagnostics).toMatchObject([{ code: 'name-reserved', severity: 'warning', line: 2 }]);
  });

  it('derives missing fields from the directory and the text', () => {
    proves('S2.FR-2.1.required', 'S2.OP-8.content-only', 'S2.FR-8.1.missing-field', 'S2.FR-2.1.malformed');
    const manager = open('# Title\n\nThe first paragraph,\non two lines.\n\nThe second.\n', false);
    expect(manager.getSkill('subject')).toMatchObject({
      name: 'subject',
      description: 'The first paragraph, on two lines.',
    });
    expect(manager.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['frontmatter-missing', 'warning'],
      ['description-missing', 'warning'],
      ['name-missing', 'info'],
    ]);
    expect(manager.loadSkillSync('subject').content).toMatch(/^# Title\n/);
  });

  it('keeps a long description in full', () => {
    proves('S2.FR-2.3.description');
    const manager = open(skillText({ name: 'subject', description: 'word '.repeat(1_000).trim() }), false);
    expect(manager.getSkill('subject').description).toHaveLength(4_999);
  });

  it('loads names that break the rules, with a diagnostic', () => {
    proves(
      'S2.FR-2.3.name',
      'S1.4.dirname-charset',
      'S1.4.dirname-max-64',
      'S1.4.dirname-hyphens',
      'S1.4.name-equals-dir',
    );
    for (const name of ['Subject', 'my_skill', '-x', 'a--b', 'x'.repeat(65), 'with space']) {
      const manager = open(skillText({ name, description }), false);
      expect(manager.getSkill(name).name).toBe(name);
      expect(manager.diagnostics.map(({ code }) => code)).toEqual(['name-invalid', 'name-mismatch']);
    }
  });
});
