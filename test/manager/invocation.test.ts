import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, skillText } from '../support/skill-tree.ts';

function open(body: string, fields = {}): { manager: SkillManager; base: string } {
  const tree = createSkillTree({
    'skills/one/SKILL.md': skillText({ name: 'one', description: 'One.', ...fields }, body),
  });
  return { manager: new SkillManager({ cwd: tree.root }), base: tree.path('skills/one') };
}

describe('an invoked skill', () => {
  it('has its metadata, its content and the text for the model, the same synchronously and asynchronously', async () => {
    proves(
      'S2.TS-3.SkillContent',
      'S2.FR-4.4.return',
      'S2.FR-4.1.base-line',
      'S2.goal.sync-async',
      'S2.FR-4.3.allowlist',
      'S2.goal.no-framework',
    );
    const { manager, base } = open('\nUse it with: $ARGUMENTS\n', { 'allowed-tools': 'Read, Bash' });
    const content = await manager.invokeSkill('one', 'invoice.pdf');
    expect(content).toEqual({
      metadata: manager.getSkill('one'),
      content: '\nUse it with: $ARGUMENTS\n',
      processedContent: `Base directory for this skill: ${base}\n\nUse it with: invoice.pdf\n`,
    });
    expect(content.metadata).toMatchObject({ allowedTools: ['Read', 'Bash'], baseDir: base });
    expect(manager.invokeSkillSync('one', 'invoice.pdf')).toEqual(content);
    expect(await manager.loadSkill('one')).toEqual(await manager.invokeSkill('one'));
    expect(manager.loadSkillSync('one')).toEqual(manager.invokeSkillSync('one'));
  });

  it.each([
    [
      'every placeholder',
      'Run $ARGUMENTS and save to $ARGUMENTS.out',
      'file.pdf',
      'Run file.pdf and save to file.pdf.out',
    ],
    ['placeholders, if there are no arguments, with nothing', 'Run $ARGUMENTS.', '', 'Run .'],
    ['no placeholder in another case', 'Run $arguments, $Arguments, $ARGUMENTS', 'x', 'Run $arguments, $Arguments, x'],
    ['nothing in a text without a placeholder, but appends the arguments', 'Run.', 'x y', 'Run.\n\nARGUMENTS: x y'],
    ['nothing in a text without a placeholder if there are no arguments', 'Run.', '', 'Run.'],
    ['no placeholder in inserted text', 'Run $ARGUMENTS', '$ARGUMENTS $1 {baseDir}', 'Run $ARGUMENTS $1 {baseDir}'],
    ['a placeholder by special characters of patterns literally', 'Run $ARGUMENTS', "$& $' $$", "Run $& $' $$"],
    ['neither prices nor awk variables', 'It costs $25; awk "{print $1}"', '', 'It costs $25; awk "{print $1}"'],
    [
      'no ignore patterns, which never run as commands',
      'Ignore !`*.log` and !`touch pwned`',
      '',
      'Ignore !`*.log` and !`touch pwned`',
    ],
    ['no escaped placeholders, but removes the escape', '\\$ARGUMENTS $$ARGUMENTS', '', '$ARGUMENTS $ARGUMENTS'],
  ])('replaces %s', (_what, body, args, expected) => {
    proves(
      'S2.FR-4.2.placeholder',
      'S2.FR-4.2.all',
      'S2.FR-4.2.empty',
      'S2.FR-4.2.case',
      'S2.FR-4.2.no-placeholder',
      'S2.FR-4.2.no-placeholder-empty',
      'S2.TR-1.invocation',
    );
    const { manager, base } = open(body);
    expect(manager.invokeSkillSync('one', args).processedContent).toBe(
      `Base directory for this skill: ${base}\n\n${expected}`,
    );
  });

  it('has names and positions for its declared arguments', () => {
    const { manager } = open('From $source to $target ($0, $1, $7; $25)', { arguments: 'source target' });
    expect(manager.invokeSkillSync('one', '"a b" c').processedContent).toMatch(/From a b to c \(a b, c, \$7; \$25\)$/);
    const hinted = open('First: $0, index: $ARGUMENTS[1]', { 'argument-hint': '"[x]"' }).manager;
    expect(hinted.invokeSkillSync('one', 'a b').processedContent).toMatch(/First: a, index: b$/);
  });

  it('includes its directories', () => {
    const tree = createSkillTree({
      'skills/one/SKILL.md': skillText(
        { name: 'one', description: 'One.' },
        '{baseDir} ${CLAUDE_SKILL_DIR} ${CLAUDE_PROJECT_DIR} ${CLAUDE_SESSION_ID}',
      ),
    });
    const { processedContent } = new SkillManager({ cwd: tree.root }).loadSkillSync('one');
    const base = tree.path('skills/one');
    expect(processedContent.split('\n').at(-1)).toBe(`${base} ${base} ${tree.root} \${CLAUDE_SESSION_ID}`);
  });

  it("works for the seed's example, inside its code block too", () => {
    proves('S2.appendix-A');
    const manager = new SkillManager({ projectSkillDir: `${import.meta.dirname}/../fixtures/seed-002/appendix-a` });
    const { metadata, processedContent } = manager.invokeSkillSync('pdf-extractor', 'invoice.pdf');
    expect(metadata).toMatchObject({ allowedTools: ['Read', 'Bash', 'Write'], version: '1.0.0' });
    expect(processedContent).toMatch(/```[a-z]*\n[^`]*invoice\.pdf[^`]*```/);
    expect(processedContent).not.toContain('$ARGUMENTS');
  });

  it('throws if it does not exist, through every method', async () => {
    proves('S2.EH-1.invocation', 'S2.TR-1.invocation', 'S2.EH-2.not-found');
    const { manager } = open('x');
    const expected = expect.objectContaining({
      name: 'SkillInvocationError',
      code: 'SkillNotFound',
      message: "Skill 'two' not found. Available skills: ['one']",
    }) as Error;
    await expect(manager.loadSkill('two')).rejects.toEqual(expected);
    await expect(manager.invokeSkill('two', 'x')).rejects.toEqual(expected);
    await expect(manager.readFile('two', 'x')).rejects.toEqual(expected);
    const calls = [
      () => manager.getSkill('two'),
      () => manager.loadSkillSync('two'),
      () => manager.invokeSkillSync('two', 'x'),
      () => manager.resolveFile('two', 'x'),
      () => manager.readFileSync('two', 'x'),
      () => manager.listFiles('two'),
      () => manager.listScripts('two'),
      () => manager.resolveModel('two', 'gpt'),
    ];
    for (const call of calls) expect(call).toThrow(expected);
  });
});

describe('the model of a skill', () => {
  const hints = '\n  gpt: gpt-5\n  Gemini: gemini-3\n  default: small';

  it.each([
    ['its own hint', { 'model-hints': hints }, 'gpt', 'gpt-5'],
    ['its own hint in any case', { 'model-hints': hints }, 'GEMINI', 'gemini-3'],
    ['the default hint', { 'model-hints': hints }, 'mistral', 'small'],
    ['nothing without hints', {}, 'gpt', undefined],
    ['nothing without a default', { 'model-hints': '\n  gpt: gpt-5' }, 'mistral', undefined],
    ['`model` on Claude', { model: 'opus', 'model-hints': hints }, 'claude', 'opus'],
    ['not `model` elsewhere', { model: 'opus' }, 'gpt', undefined],
  ])('is %s', (_what, fields, provider, expected) => {
    proves('S2.OP-7.1.model-hints', 'S2.OP-7.1.resolution');
    expect(open('x', fields).manager.resolveModel('one', provider)).toBe(expected);
  });

  it('defaults to the model of the caller, like `inherit`', () => {
    proves('S2.FR-2.3.model-default');
    expect(open('x').manager.resolveModel('one', 'claude')).toBeUndefined();
    expect(open('x', { model: 'inherit' }).manager.resolveModel('one', 'claude')).toBeUndefined();
  });
});

describe('a manager', () => {
  it('discovers by itself on the first request, synchronously or asynchronously', async () => {
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one'), 'skills/one/a.md': 'A' });
    const fresh = (): SkillManager => new SkillManager({ cwd: tree.root });
    expect(fresh().listSkills()).toHaveLength(1);
    expect(fresh().getSkill('one').name).toBe('one');
    expect(fresh().diagnostics).toEqual([]);
    expect(fresh().snapshot.skills).toHaveLength(1);
    expect((await fresh().loadSkill('one')).metadata.name).toBe('one');
    expect(await fresh().readFile('one', 'a.md')).toBe('A');
  });
});
