import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { createRecordingLogger, type RecordingLogger } from '../support/recording-logger.ts';
import { createSkillTree, skillText } from '../support/skill-tree.ts';

const FILES = {
  'skills/pdf-extractor/SKILL.md': skillText({
    name: 'pdf-extractor',
    description: 'Extract text.',
    'allowed-tools': 'Read, Write, Grep',
  }),
  'skills/git-log/SKILL.md': skillText({
    name: 'git-log',
    description: 'Read the log.',
    'allowed-tools': 'Bash(git log:*), Bash(head:*)',
    'disallowed-tools': 'Bash(git log --output*)',
  }),
  'skills/free/SKILL.md': skillText({ name: 'free', description: 'Anything goes.' }),
  'skills/blank/SKILL.md': skillText({ name: 'blank', description: 'Anything goes.', 'allowed-tools': '""' }),
  'skills/with-tool/SKILL.md': skillText({ name: 'with-tool', description: 'Has a tool.', 'allowed-tools': 'Read' }),
  'skills/with-tool/tools.json': '[{ "name": "count", "description": "Counts." }]',
  'plugin/.claude-plugin/plugin.json': '{ "name": "demo" }',
  'plugin/skills/free/SKILL.md': skillText({ name: 'free', description: 'Of a plugin.', 'allowed-tools': 'Glob' }),
};

function open(options: SkillManagerOptions = {}): { manager: SkillManager; log: RecordingLogger } {
  const log = createRecordingLogger();
  const { root } = createSkillTree(FILES);
  return {
    manager: new SkillManager({
      cwd: root,
      projectSkillDir: 'skills',
      pluginDirs: ['plugin'],
      logger: log.logger,
      ...options,
    }),
    log,
  };
}

describe('an active skill', () => {
  it('refuses a tool that it does not list, with the message of the requirements', () => {
    proves('S2.OP-4.error', 'S2.EH-2.restriction', 'S2.goal.restrictions', 'S2.concept.tool-restriction.block');
    const scope = open().manager.activate('pdf-extractor');
    expect(() => scope.assert('Bash', { command: 'ls' })).toThrow(
      expect.objectContaining({
        name: 'ToolRestrictionError',
        code: 'ToolRestricted',
        message: "Tool 'Bash' not allowed for skill 'pdf-extractor'. Allowed tools: ['Read', 'Write', 'Grep']",
        data: {
          tool: 'Bash',
          skills: ['pdf-extractor'],
          allowedTools: ['Read', 'Write', 'Grep'],
          disallowedTools: [],
        },
      }) as Error,
    );
  });

  it('leaves only the listed tools, and restores the others at its end', () => {
    proves(
      'S2.FR-4.3.allowlist',
      'S2.concept.tool-restriction.only',
      'S2.concept.tool-restriction.restore',
      'S2.TR-1.restriction',
    );
    const { manager } = open();
    const outer = manager.activate('free');
    const usable = (): string[] => ['Read', 'Grep', 'Bash', 'Glob', 'file_write'].filter((tool) => outer.allows(tool));
    expect(usable()).toEqual(['Read', 'Grep', 'Bash', 'Glob', 'file_write']);
    const scope = manager.activate('pdf_extractor');
    expect(scope.skill).toBe('pdf-extractor');
    expect(usable()).toEqual(['Read', 'Grep', 'file_write']);
    const other = manager.activate('free', { plugin: 'demo' });
    expect(usable()).toEqual(['Read', 'Grep', 'Glob', 'file_write']);
    scope.end();
    expect(usable()).toEqual(['Glob']);
    other.end();
    expect(usable()).toEqual(['Read', 'Grep', 'Bash', 'Glob', 'file_write']);
  });

  it('stops a forbidden call before it starts, and a compound command as a whole', () => {
    proves('S2.OP-4.halt');
    const { manager } = open();
    const scope = manager.activate('git-log');
    const ran: string[] = [];
    const run = (command: string): void => {
      scope.assert('Bash', { command });
      ran.push(command);
    };
    run('git log --oneline | head -5');
    for (const command of ['git log; rm -rf x', 'git log $(rm x)', 'git log > x', 'git log --output=x', 'for']) {
      expect(() => run(command), command).toThrow(expect.objectContaining({ code: 'ToolRestricted' }) as Error);
    }
    expect(ran).toEqual(['git log --oneline | head -5']);
  });

  it('logs every refusal as an error', () => {
    proves('S2.OP-4.log');
    const { manager, log } = open();
    const scope = manager.activate('pdf-extractor');
    scope.assert('Read');
    scope.allows('Bash');
    expect(log.lines('error')).toEqual([]);
    expect(() => scope.assert('Bash')).toThrow(/not allowed/);
    expect(log.records.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: "Tool 'Bash' not allowed for skill 'pdf-extractor'. Allowed tools: ['Read', 'Write', 'Grep']",
        data: {
          code: 'ToolRestricted',
          tool: 'Bash',
          skills: ['pdf-extractor'],
          allowedTools: ['Read', 'Write', 'Grep'],
          disallowedTools: [],
        },
      },
    ]);
  });

  it.each(['free', 'blank'])('restricts nothing if its list is missing or empty: %s', (name) => {
    proves('S2.OP-4.empty', 'S2.TR-1.restriction');
    const scope = open().manager.activate(name);
    for (const tool of ['Bash', 'Write', 'anything']) {
      expect(scope.allows(tool)).toBe(true);
      scope.assert(tool, { command: 'rm x' });
    }
  });

  it('keeps its own tools', () => {
    const scope = open().manager.activate('with-tool');
    const own = ['load_skill', 'use_skill', 'read_skill_file', 'count', 'with-tool__count'];
    expect(own.filter((tool) => !scope.allows(tool))).toEqual([]);
    expect(scope.allows('Write')).toBe(false);
  });

  it('must exist', () => {
    const expected = expect.objectContaining({ name: 'SkillInvocationError', code: 'SkillNotFound' }) as Error;
    expect(() => open().manager.activate('pdf-extracter')).toThrow(expected);
  });

  it('stays active after a new discovery, with its earlier lists', async () => {
    const { manager } = open();
    const scope = manager.activate('pdf-extractor');
    await manager.discover();
    expect(scope.allows('Bash')).toBe(false);
  });
});

describe('the policy', () => {
  it('may be off', () => {
    proves('S2.OP-4.override');
    expect(open().manager.activate('pdf-extractor').allows('Bash')).toBe(false);
    const options = [{ enforceToolRestrictions: false }, { policy: { allowedTools: 'off' } }] as const;
    for (const option of options) {
      const { manager, log } = open(option);
      const scope = manager.activate('pdf-extractor');
      expect(scope.allows('Bash')).toBe(true);
      expect(() => scope.assert('Bash')).not.toThrow();
      expect(scope.preapproves('Read')).toBe(false);
      expect(log.lines('error')).toEqual([]);
    }
  });

  it('may approve the listed tools in advance, and refuse nothing', () => {
    proves('S1.9.allowed-tools');
    const scope = open({ policy: { allowedTools: 'preapprove' } }).manager.activate('pdf-extractor');
    expect([scope.preapproves('Read'), scope.preapproves('Bash')]).toEqual([true, false]);
    expect(() => scope.assert('Bash')).not.toThrow();
  });

  it.each<[SkillManagerOptions, boolean]>([
    [{ enforceToolRestrictions: true }, false],
    [{ enforceToolRestrictions: true, policy: { allowedTools: 'enforce' } }, false],
    [{ enforceToolRestrictions: true, policy: {} }, false],
    [{ enforceToolRestrictions: undefined, policy: { allowedTools: undefined } }, false],
    [{ enforceToolRestrictions: false, policy: { allowedTools: 'off' } }, true],
  ])('accepts %j, which says the same in two ways', (options, isAllowed) => {
    expect(open(options).manager.activate('pdf-extractor').allows('Bash')).toBe(isAllowed);
  });

  it.each<[SkillManagerOptions, string]>([
    [{ enforceToolRestrictions: false, policy: { allowedTools: 'enforce' } }, 'enforceToolRestrictions'],
    [{ enforceToolRestrictions: true, policy: { allowedTools: 'off' } }, 'enforceToolRestrictions'],
    [{ enforceToolRestrictions: true, policy: { allowedTools: 'preapprove' } }, 'enforceToolRestrictions'],
    [{ enforceToolRestrictions: 'no' } as object, 'enforceToolRestrictions'],
    [{ policy: { allowedTools: 'on' } } as object, 'policy.allowedTools'],
    [{ policy: { allowedTools: null } } as object, 'policy.allowedTools'],
    [{ policy: { tools: 'off' } } as object, 'policy.tools'],
    [{ policy: null } as object, 'policy'],
    [{ policy: 'off' } as object, 'policy'],
    [{ enforceToolRestrictions: false, policy: 'off' } as object, 'policy'],
  ])('rejects %j, and names %s', (options, option) => {
    const expected = expect.objectContaining({ code: 'InvalidOptions', data: { option } }) as Error;
    expect(() => new SkillManager(options)).toThrow(expected);
    if (option.startsWith('policy'))
      expect(() => createRuntime({ sources: [], ...options, trust: undefined })).toThrow(expected);
  });

  it('applies to each runtime separately', () => {
    const skill = { name: 'x', allowedTools: ['Read'], tools: [] };
    const [one, two] = [createRuntime({ sources: [] }), createRuntime({ sources: [] })];
    expect(one.restrictions.activate(skill).allows('Bash')).toBe(false);
    expect(two.restrictions.activate({ name: 'y', tools: [] }).allows('Bash')).toBe(true);
  });
});
