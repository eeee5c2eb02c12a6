import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/skillwright/src/spec/limits.ts';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

describe('options of a manager', () => {
  it.each<[string, unknown]>([
    ['cwd', 7],
    ['cwd', ''],
    ['cwd', null],
    ['projectSkillDir', ''],
    ['projectSkillDir', ['skills']],
    ['projectSkillDir', 'a\0b'],
    ['anthropicConfigDir', true],
    ['agentsDir', 1],
    ['opencodeDir', {}],
    ['pluginDirs', 'plugins'],
    ['pluginDirs', [1]],
    ['additionalSearchPaths', ['']],
    ['userDirs', {}],
    ['precedence', 'middle'],
    ['walkUp', 'yes'],
    ['followOutside', 1],
    ['optional', 'true'],
    ['strict', 'true'],
    ['logger', {}],
    ['logger', 'console'],
    ['limits', 5],
    ['onEvent', 'listener'],
    ['projectSkillsDir', './skills'],
    ['constructor', 1],
  ])('reject %s: %j, and name it', (option, value) => {
    const create = (): SkillManager => new SkillManager({ projectSkillDir: null, [option]: value });
    expect(create).toThrow(
      expect.objectContaining({
        name: 'SkillwrightError',
        code: 'InvalidOptions',
        message: expect.stringContaining(`'${option}'`) as string,
      }) as Error,
    );
  });

  it('suggests the nearest name for an unknown option', () => {
    const create = (): SkillManager => new SkillManager({ projectSkillDirs: './skills' } as never);
    expect(create).toThrow(/^Option 'projectSkillDirs' is not known\. Did you mean 'projectSkillDir'\? Options: cwd, /);
  });

  it.each(['./my-skills', 5, null])('shows how to write options when %j is given instead', (given) => {
    const path = typeof given === 'string' ? given : './skills';
    expect(() => new SkillManager(given as never)).toThrow(
      `Option 'options' must be an object, such as { projectSkillDir: "${path}" }.`,
    );
  });

  it.each<[string, unknown]>([
    ['maxDepth', -1],
    ['maxDirectories', 0],
    ['headBytes', 1.5],
    ['maxSkillBytes', Number.POSITIVE_INFINITY],
    ['maxFileBytes', '10'],
    ['maxDepht', 3],
  ])('reject limits.%s: %j, and name it', (limit, value) => {
    const limits = { [limit]: value } as Partial<typeof DEFAULT_LIMITS>;
    const expected = expect.objectContaining({ code: 'InvalidOptions', data: { option: `limits.${limit}` } }) as Error;
    expect(() => new SkillManager({ limits })).toThrow(expected);
    expect(() => createRuntime({ sources: [], limits })).toThrow(expected);
  });

  it('may all be undefined', () => {
    const names = [
      'cwd',
      'projectSkillDir',
      'anthropicConfigDir',
      'agentsDir',
      'opencodeDir',
      'pluginDirs',
      'additionalSearchPaths',
      'userDirs',
      'precedence',
    ];
    const more = [
      'walkUp',
      'followOutside',
      'optional',
      'strict',
      'logger',
      'limits',
      'onEvent',
      'policy',
      'enforceToolRestrictions',
    ];
    const options = Object.fromEntries([...names, ...more].map((name) => [name, undefined]));
    expect(() => new SkillManager(options)).not.toThrow();
    expect(() => new SkillManager({ limits: { maxDepth: undefined } as object })).not.toThrow();
  });

  it('have stable default limits', () => {
    expect(createRuntime({ sources: [] }).limits).toEqual(DEFAULT_LIMITS);
    expect(createRuntime({ sources: [], limits: { maxDepth: 0 } }).limits).toEqual({ ...DEFAULT_LIMITS, maxDepth: 0 });
    expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true);
  });

  it('give only a warning for a missing directory, or a note if it is optional', () => {
    const tree = createSkillTree();
    const severity = (options: SkillManagerOptions): unknown =>
      new SkillManager({ cwd: tree.root, ...options }).diagnostics.map((item) => [item.code, item.severity]);
    expect(severity({})).toEqual([['root-missing', 'info']]);
    expect(severity({ projectSkillDir: './skills' })).toEqual([['root-missing', 'warning']]);
    expect(severity({ projectSkillDir: './skills', optional: true })).toEqual([['root-missing', 'info']]);
  });

  it('may have a listener that throws', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one') });
    const seen: string[] = [];
    const manager = new SkillManager({
      cwd: tree.root,
      onEvent(event) {
        seen.push(event.type);
        throw new Error('in the listener');
      },
    });
    await manager.discover();
    await manager.loadSkill('one');
    expect(seen).toEqual(['discovery-start', 'discovery-end', 'skill-load']);
  });
});
