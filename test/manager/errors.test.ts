import { describe, expect, it } from 'vitest';
import * as skillwright from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

const { SkillException, SkillManager, SkillwrightError } = skillwright;
const SUBCLASSES = [
  'SkillDiscoveryError',
  'SkillParsingError',
  'SkillValidationError',
  'SkillInvocationError',
  'ToolRestrictionError',
] as const;

function caught(work: () => unknown): skillwright.SkillwrightError {
  try {
    work();
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the error classes', () => {
  it('share one base class, which has two names', () => {
    proves('S2.EH-3.base');
    expect(SkillException).toBe(SkillwrightError);
    expect(new SkillException('InvalidOptions', 'x')).toBeInstanceOf(Error);
  });

  it.each(SUBCLASSES)('derive %s from the base class', (name) => {
    proves('S2.EH-3.subclasses', 'S2.EH-3.base');
    const ErrorClass = skillwright[name];
    const cause = new Error('beneath');
    const error = new ErrorClass('SkillNotFound', 'A message.', { data: { skill: 'x' }, cause });
    expect(error).toBeInstanceOf(SkillException);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code: 'SkillNotFound', message: 'A message.', data: { skill: 'x' }, cause });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name,
      code: 'SkillNotFound',
      message: 'A message.',
      data: { skill: 'x' },
    });
    expect(String(error)).toBe(`${name}: A message.`);
    for (const other of SUBCLASSES) expect(skillwright[other].isInstance(error)).toBe(other === name);
    expect(SkillException.isInstance(error)).toBe(true);
  });

  it('recognize errors of another copy of the package', async () => {
    const url = new URL('../../packages/skillwright/src/spec/errors/error.ts?another-copy', import.meta.url).href;
    const copy = (await import(url)) as Pick<typeof skillwright, 'SkillParsingError'>;
    const error = new copy.SkillParsingError('MalformedText', 'x');
    expect(copy.SkillParsingError).not.toBe(skillwright.SkillParsingError);
    expect(error).not.toBeInstanceOf(skillwright.SkillParsingError);
    expect(skillwright.SkillParsingError.isInstance(error)).toBe(true);
    expect(SkillwrightError.isInstance(error)).toBe(true);
    expect(skillwright.SkillValidationError.isInstance(error)).toBe(false);
  });

  it.each([null, undefined, 'text', {}, new Error('plain'), { code: 'SkillNotFound', name: 'SkillInvocationError' }])(
    'do not recognize %s',
    (value) => {
      expect(SkillwrightError.isInstance(value)).toBe(false);
    },
  );
});

describe('an error', () => {
  it('has data that survives JSON', () => {
    const manager = new SkillManager({
      cwd: createSkillTree({ 'skills/one/SKILL.md': goodSkill('one'), 'skills/empty/SKILL.md': '' }).root,
    });
    const errors = [
      caught(() => manager.getSkill('ona')),
      caught(() => manager.getSkill('empty')),
      caught(() => manager.resolveFile('one', '../x')),
      caught(() => manager.readFileSync('one', 'gone')),
      caught(() => new SkillManager({ precedence: 'middle' as 'first' })),
    ];
    for (const error of errors)
      expect(JSON.parse(JSON.stringify(error))).toEqual({ ...error.toJSON(), data: error.data });
    expect(errors.map(({ code }) => code)).toEqual([
      'SkillNotFound',
      'SkillRefused',
      'PathNotAllowed',
      'FileNotFound',
      'InvalidOptions',
    ]);
    expect(errors[0]?.data).toEqual({ skill: 'ona', suggestion: 'one', available: 1 });
  });

  it('names the file, the line, the field and the reason for a refused skill', () => {
    proves('S2.EH-2.parse-message', 'S2.FR-2.AC.clear-errors');
    const tree = createSkillTree({ 'skills/mute/SKILL.md': '---\nname: mute\nversion: 1.0.0\n---\n' });
    const path = tree.path('skills/mute/SKILL.md');
    const error = caught(() => new SkillManager({ cwd: tree.root, strict: true }).loadSkillSync('mute'));
    expect(error).toMatchObject({ name: 'SkillValidationError', code: 'SkillRefused', data: { skill: 'mute', path } });
    expect(error.message).toMatch(/^Skill 'mute' at .* could not be read\. .*description.*missing/);
    expect(error.message).toContain(`${path}:`);
    const lenient = caught(() => new SkillManager({ cwd: tree.root }).getSkill('mute'));
    expect(lenient.message).toContain(`${path}:`);
  });

  it('names the line of broken YAML', () => {
    proves('S2.EH-2.parse-message', 'S2.FR-2.AC.clear-errors');
    const tree = createSkillTree({ 'skills/broken/SKILL.md': '---\nname: broken\ntags:\n  - ok\n }{ nonsense\n---\n' });
    const path = tree.path('skills/broken/SKILL.md');
    const error = caught(() => new SkillManager({ cwd: tree.root, strict: true }).getSkill('broken'));
    expect(error.name).toBe('SkillParsingError');
    expect(error.message).toMatch(/not valid YAML/);
    expect(error.message).toMatch(new RegExp(`${path.replaceAll(/[\\.]/g, '\\$&')}:[3-5]\\b`));
  });

  it('names the byte that is not UTF-8', async () => {
    proves('S2.OP-8.utf8');
    const bytes = Buffer.concat([
      Buffer.from('---\nname: bad\ndescription: caf'),
      Buffer.from([0xe9]),
      Buffer.from('\n---\nx'),
    ]);
    const tree = createSkillTree({ 'skills/bad/SKILL.md': bytes });
    const manager = new SkillManager({ cwd: tree.root });
    const expected = { name: 'SkillParsingError', code: 'SkillRefused' };
    await expect(manager.loadSkill('bad')).rejects.toMatchObject(expected);
    expect(caught(() => manager.getSkill('bad')).message).toContain('not valid UTF-8: byte 0xe9 at offset 30');
    expect(manager.diagnostics).toMatchObject([
      { code: 'text-malformed', line: 3, path: tree.path('skills/bad/SKILL.md') },
    ]);
  });
});
