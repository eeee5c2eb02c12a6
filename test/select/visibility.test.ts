import { describe, expect, it } from 'vitest';
import { assertChoice, chooseSkills } from '../../packages/skillwright/src/policy/visibility/skill-choice.ts';
import {
  explainVisibility,
  modeOf,
  prohibition,
  visible,
  type VisibilityFacts,
} from '../../packages/skillwright/src/policy/visibility/visibility.ts';
import { SkillwrightError, type SkillMetadata } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { sampleSkill } from '../support/sample-metadata.ts';

const rulesOf = (skill: SkillMetadata, facts: VisibilityFacts = {}): string[] =>
  explainVisibility(skill, facts).reasons.map(({ rule }) => rule);

describe('a skill', () => {
  it('is shown to the model and to people by default', () => {
    const skill = sampleSkill('plain');
    expect(visible(skill)).toBe(true);
    expect(explainVisibility(skill, { audience: 'user' })).toEqual({
      visible: true,
      callable: true,
      mode: undefined,
      reasons: [],
    });
  });

  it('is neither shown nor used by anybody if it is off', () => {
    proves('S4.mode.off');
    const skill = sampleSkill('plain', { mode: 'off' });
    for (const audience of ['model', 'user'] as const) {
      const found = explainVisibility(skill, { audience, ranks: () => true });
      expect(found).toMatchObject({ visible: false, callable: false, mode: 'off', reasons: [{ rule: 'mode-off' }] });
    }
    expect(prohibition(skill)?.sentence).toContain("'off'");
  });

  it('is shown whether or not it ranks if it is on', () => {
    proves('S4.mode.on');
    expect(visible(sampleSkill('plain', { mode: 'on' }), { ranks: () => false })).toBe(true);
  });

  it('is shown when it ranks, and may be called when it does not, if it is automatic', () => {
    const skill = sampleSkill('plain', { mode: 'auto' });
    expect(visible(skill, { ranks: ({ name }) => name === 'plain' })).toBe(true);
    expect(explainVisibility(skill)).toMatchObject({
      visible: false,
      callable: true,
      reasons: [{ rule: 'mode-auto' }],
    });
    expect(visible(skill, { audience: 'user' })).toBe(true);
  });

  it('has the mode that its host sets, whatever it says', () => {
    const skill = sampleSkill('plain', { mode: 'off' });
    expect(visible(skill, { modeOf: () => 'on' })).toBe(true);
    expect(visible(sampleSkill('plain'), { modeOf: () => 'off' })).toBe(false);
  });

  it('cannot raise its own mode if it is untrusted', () => {
    const skill = sampleSkill('pushy', { mode: 'on', trust: 'untrusted' });
    expect(modeOf(skill)).toBe('auto');
    expect(visible(skill)).toBe(false);
    expect(modeOf(skill, { modeOf: () => 'on' })).toBe('on');
  });

  it('is for people only if it disables model invocation', () => {
    const skill = sampleSkill('plain', { disableModelInvocation: true });
    expect(explainVisibility(skill)).toMatchObject({ visible: false, callable: false });
    expect(rulesOf(skill)).toEqual(['disable-model-invocation']);
    expect(visible(skill, { audience: 'user' })).toBe(true);
  });

  it('is for the model only if it is not user-invocable', () => {
    const skill = sampleSkill('plain', { userInvocable: false });
    expect(visible(skill)).toBe(true);
    expect(rulesOf(skill, { audience: 'user' })).toEqual(['user-invocable']);
  });

  it('with paths is shown when a file of the conversation matches one, and always to people', () => {
    const skill = sampleSkill('plain', { paths: ['src/**/*.ts', '*.sql'] });
    expect(rulesOf(skill)).toEqual(['paths']);
    expect(rulesOf(skill, { files: ['docs/a.md'] })).toEqual(['paths']);
    expect(visible(skill, { files: ['docs/a.md', 'src/deep/a.ts'] })).toBe(true);
    expect(visible(skill, { files: ['/project/src/a.ts'], projectDir: '/project/' })).toBe(true);
    expect(visible(skill, { files: ['C:\\project\\src\\a.ts'], projectDir: 'C:\\project' })).toBe(true);
    expect(visible(skill, { audience: 'user' })).toBe(true);
  });

  it('is shown when the host meets its requirements, and otherwise reports what is missing', () => {
    const skill = sampleSkill('plain', { requires: { bins: ['ffmpeg'], env: ['TOKEN'], os: ['linux'] } });
    const host = { hasProgram: () => true, env: { TOKEN: 'x' }, platform: 'linux' };
    expect(visible(skill)).toBe(true);
    expect(visible(skill, { hostOf: () => host })).toBe(true);
    const bare = explainVisibility(skill, { hostOf: () => ({ hasProgram: () => false, env: {}, platform: 'win32' }) });
    expect(bare.callable).toBe(true);
    expect(bare.reasons[0]?.sentence).toContain('ffmpeg');
    expect(bare.reasons[0]?.sentence).toContain('TOKEN');
    expect(bare.reasons[0]?.sentence).toContain('win32');
  });

  it('lists every reason against it', () => {
    const skill = sampleSkill('plain', { mode: 'off', disableModelInvocation: true, paths: ['a'] });
    const chosen = chooseSkills([skill], { exclude: ['plain'] });
    expect(rulesOf(skill, { chosen })).toEqual(['mode-off', 'excluded', 'disable-model-invocation', 'paths']);
  });
});

describe("an agent's choice", () => {
  const skills = [
    sampleSkill('discord'),
    sampleSkill('code_review', { qualifiedName: 'team:code_review' }),
    sampleSkill('kit:report', { qualifiedName: 'kit:report', directoryName: 'report', source: 'plugin' }),
    sampleSkill('kit:chart', { qualifiedName: 'kit:chart', directoryName: 'chart', source: 'plugin' }),
  ];
  const namesWith = (include?: string[], exclude?: string[]): string[] => {
    const chosen = chooseSkills(skills, { include, exclude });
    return skills.filter((skill) => visible(skill, { chosen })).map(({ name }) => name);
  };

  it.each([
    [undefined, undefined, ['discord', 'code_review', 'kit:report', 'kit:chart']],
    [['discord'], undefined, ['discord']],
    [['code-review'], undefined, ['code_review']],
    [['team:code-review'], undefined, ['code_review']],
    [['kit:*'], undefined, ['kit:report', 'kit:chart']],
    [['plugin/*'], undefined, ['kit:report', 'kit:chart']],
    [['report'], undefined, ['kit:report']],
    [['*c*'], ['kit:*'], ['discord', 'code_review']],
    [undefined, ['kit:report', 'discord'], ['code_review', 'kit:chart']],
    [['discord'], ['discord'], []],
    [[], undefined, []],
    [['nothing-*'], undefined, []],
  ])('include %j, exclude %j shows %j', (include, exclude, names) => {
    expect(namesWith(include, exclude)).toEqual(names);
  });

  it('may name a skill by its alias, if nothing else has that name', () => {
    const named = [...skills, sampleSkill('own', { alias: 'team:own' }), sampleSkill('other', { alias: 'kit:chart' })];
    const leftOut = (name: string): string[] => {
      const chosen = chooseSkills(named, { exclude: [name] });
      expect(chosen.unknown).toEqual([]);
      return named.filter((skill) => !visible(skill, { chosen })).map((skill) => skill.name);
    };
    expect(leftOut('team:own')).toEqual(['own']);
    expect(leftOut('kit:chart')).toEqual(['kit:chart']);
  });

  it('is an error that suggests the nearest name for an unknown skill', () => {
    const misspelt = chooseSkills(skills, { include: ['discrod', 'kit:*'], exclude: ['nope'] });
    expect(misspelt.unknown.map(({ option, name }) => [option, name])).toEqual([
      ['include', 'discrod'],
      ['exclude', 'nope'],
    ]);
    try {
      assertChoice(misspelt, skills);
      expect.unreachable();
    } catch (error) {
      expect(SkillwrightError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ code: 'InvalidOptions', data: { option: 'include', suggestion: 'discord' } });
      expect(String(error)).toContain("Did you mean 'discord'?");
    }
  });

  it('is an error if it is not a list of names', () => {
    expect(() => chooseSkills(skills, { include: [7 as unknown as string] })).toThrow("Option 'include'");
  });

  it('distinguishes an excluded skill from one that is not included', () => {
    const chosen = chooseSkills(skills, { include: ['discord', 'kit:*'], exclude: ['kit:chart'] });
    const rules = skills.map((skill) => rulesOf(skill, { chosen }));
    expect(rules).toEqual([[], ['not-included'], [], ['excluded']]);
  });
});
