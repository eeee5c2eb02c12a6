import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createRecordingLogger, type RecordingLogger } from '../support/recording-logger.ts';
import { createSkillTree, goodSkill, type SkillTree } from '../support/skill-tree.ts';

const FILES = {
  'skills/good/SKILL.md': goodSkill('good'),
  'skills/odd/SKILL.md': goodSkill('Odd'),
  'skills/broken/SKILL.md': '---\n[: not yaml\n---\n',
  'skills/empty/SKILL.md': '',
};

function open(
  files = FILES,
  options: SkillManagerOptions = {},
): { tree: SkillTree; manager: SkillManager; log: RecordingLogger } {
  const tree = createSkillTree(files);
  const log = createRecordingLogger();
  return { tree, log, manager: new SkillManager({ cwd: tree.root, logger: log.logger, ...options }) };
}

describe('the log', () => {
  it('lists at debug the searched places and each file that was read', async () => {
    proves('S2.FR-8.3.debug');
    const { tree, manager, log } = open();
    await manager.discover();
    const text = JSON.stringify(log.records.filter(({ level }) => level === 'debug'));
    expect(text).toContain(JSON.stringify(tree.path('skills')).slice(1, -1));
    expect(text).toContain(JSON.stringify(tree.path('skills/good/SKILL.md')).slice(1, -1));
  });

  it("lists at info the discovery's result and each loaded skill", async () => {
    proves('S2.FR-8.3.info');
    const { tree, manager, log } = open();
    await manager.discover();
    expect(log.records.filter(({ level }) => level === 'info')).toMatchObject([
      { message: 'Skills discovered.', data: { skills: 2 } },
    ]);
    await manager.loadSkill('good');
    manager.loadSkillSync('good');
    expect(log.records.filter(({ level }) => level === 'info').slice(1)).toMatchObject([
      { message: 'Skill loaded.', data: { skill: 'good', path: tree.path('skills/good/SKILL.md') } },
    ]);
  });

  it('lists at warn invalid skills and missing directories, with their places', () => {
    proves('S2.FR-8.3.warning', 'S2.EH-1.discovery', 'S2.FR-1.5.log');
    const { tree, manager, log } = open(FILES, { additionalSearchPaths: ['missing'] });
    expect(manager.discoverSync().skills).toHaveLength(2);
    const warnings = log.records.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([
      { data: { code: 'name-invalid', category: 'validation', location: `${tree.path('skills/odd/SKILL.md')}:2` } },
      { data: { code: 'root-missing', category: 'discovery', location: tree.path('missing') } },
    ]);
    expect(warnings[0]?.message).toContain('Odd');
  });

  it('lists at error the files that could not be parsed, with place and reason', () => {
    proves('S2.FR-8.3.error', 'S2.FR-1.5.log', 'S2.EH-1.parsing', 'S2.FR-1.5.continue');
    const { tree, manager, log } = open();
    expect(manager.discoverSync().skills).toHaveLength(2);
    const errors = log.records.filter(({ level }) => level === 'error');
    expect(errors.map(({ data }) => [data['code'], String(data['location']).replace(/:\d+$/, ':line')])).toEqual([
      ['yaml-invalid', `${tree.path('skills/broken/SKILL.md')}:line`],
      ['description-absent', `${tree.path('skills/broken/SKILL.md')}:line`],
      ['file-empty', `${tree.path('skills/empty/SKILL.md')}:line`],
    ]);
    expect(errors[0]?.message).toMatch(/not valid YAML/);
  });

  it('lists at error violations of rules in strict mode', () => {
    proves('S2.EH-1.validation');
    const { manager, log } = open({ 'skills/odd/SKILL.md': goodSkill('Odd') } as typeof FILES, { strict: true });
    expect(manager.discoverSync().skills).toEqual([]);
    expect(log.records.filter(({ level }) => level === 'error').map(({ data }) => data['code'])).toEqual([
      'name-invalid',
      'name-mismatch',
    ]);
  });

  it('warns about requested files that are missing', async () => {
    proves('S2.FR-8.3.warning');
    const { manager, log } = open({ 'skills/good/SKILL.md': goodSkill('good') } as typeof FILES);
    await manager.discover();
    await expect(manager.readFile('good', 'gone.md')).rejects.toThrow('gone.md');
    expect(log.lines('warn')).toEqual([expect.stringContaining('gone.md') as string]);
  });

  it('has a line for every attempt to leave a skill', async () => {
    proves('S2.DR-11.1.log');
    const { manager, log } = open({ 'skills/good/SKILL.md': goodSkill('good') } as typeof FILES);
    await manager.discover();
    await expect(manager.readFile('good', '../../secret')).rejects.toThrow('../../secret');
    expect(() => manager.resolveFile('good', '/etc/passwd')).toThrow('/etc/passwd');
    expect(log.records.filter(({ level }) => level === 'warn' || level === 'error')).toHaveLength(2);
  });

  it('is silent unless a logger is given', async ({ onTestFinished }) => {
    const written: unknown[] = [];
    const methods = ['debug', 'info', 'log', 'warn', 'error'] as const;
    const before = methods.map((method) => [method, console[method]] as const);
    onTestFinished(() => before.forEach(([method, original]) => void Object.assign(console, { [method]: original })));
    for (const method of methods) Object.assign(console, { [method]: (...line: unknown[]) => written.push(line) });
    await new SkillManager({ cwd: createSkillTree(FILES).root }).discover();
    expect(written).toEqual([]);
  });
});
