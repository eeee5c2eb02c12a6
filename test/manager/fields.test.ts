import { describe, expect, it } from 'vitest';
import { type SkillDiscoveryResult, SkillManager, type SkillMetadata } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree } from '../support/skill-tree.ts';

/** Reads one skill `subject` with these lines of frontmatter after a name and a description. */
function read(lines: string, options = {}): SkillDiscoveryResult {
  const tree = createSkillTree({
    'skills/subject/SKILL.md': `---\nname: subject\ndescription: Subject.\n${lines}\n---\nBody.\n`,
  });
  return new SkillManager({ cwd: tree.root, ...options }).discoverSync();
}

function expectRead(lines: string, expected: Partial<SkillMetadata>, codes: readonly string[] = []): void {
  const { skills, diagnostics } = read(lines);
  expect(skills).toMatchObject([expected]);
  expect(diagnostics.map(({ code }) => code)).toEqual(codes);
}

describe('frontmatter', () => {
  it('becomes a structured object with every field of the seed, without the body', () => {
    proves(
      'S2.FR-2.1.delimiters',
      'S2.FR-2.1.optional',
      'S2.FR-2.AC.structured',
      'S2.TS-3.SkillMetadata',
      'S2.FR-3.1.lightweight',
      'S0.frontmatter.v1-fields',
    );
    const tree = createSkillTree({
      'skills/pdf/SKILL.md':
        '---\nname: pdf\ndescription: Reads PDF.\nallowed-tools: Read, Bash\nversion: 1.2.3\nmodel: sonnet\ndisable-model-invocation: true\n---\nThe body.\n',
    });
    const { skills } = new SkillManager({ cwd: tree.root, projectSkillDir: 'skills' }).discoverSync();
    expect(skills).toEqual([
      {
        name: 'pdf',
        description: 'Reads PDF.',
        allowedTools: ['Read', 'Bash'],
        version: '1.2.3',
        model: 'sonnet',
        disableModelInvocation: true,
        qualifiedName: 'pdf',
        directoryName: 'pdf',
        filePath: tree.path('skills/pdf/SKILL.md'),
        baseDir: tree.path('skills/pdf'),
        source: 'project',
        trust: 'trusted',
        tools: [],
      },
    ]);
  });

  it('requires only a name and a description', () => {
    proves('S2.FR-2.4.empty', 'S2.FR-2.3.disable-model-invocation');
    const [skill] = read('').skills;
    expect(skill).toMatchObject({ disableModelInvocation: false });
    for (const field of ['allowedTools', 'version', 'model', 'pluginName', 'extra'] as const)
      expect(skill?.[field]).toBeUndefined();
  });

  it.each([
    ['a literal block', 'description: |\n  First line.\n  Second line.', 'First line.\nSecond line.'],
    [
      'a folded block',
      'description: >-\n  First line\n  goes on.\n\n  New paragraph.',
      'First line goes on.\nNew paragraph.',
    ],
    ['a plain text over lines', 'description: First line\n  goes on.', 'First line goes on.'],
    ['double quotes', 'description: "Use when: \\"asked\\"\\t#now"', 'Use when: "asked"\t#now'],
    ['single quotes', "description: 'It''s: here'", "It's: here"],
  ])('accepts descriptions as %s', (_what, line, description) => {
    proves('S2.TS-1.block-scalar');
    const tree = createSkillTree({ 'skills/subject/SKILL.md': `---\nname: subject\n${line}\n---\n` });
    const { skills, diagnostics } = new SkillManager({ cwd: tree.root }).discoverSync();
    expect(skills).toMatchObject([{ description }]);
    expect(diagnostics).toEqual([]);
  });

  it.each([
    ['Read, Write, Grep', ['Read', 'Write', 'Grep']],
    ['"  Read ,Write,  Grep "', ['Read', 'Write', 'Grep']],
    ['Read Write Grep', ['Read', 'Write', 'Grep']],
    ['[Read, "Bash(git:*)"]', ['Read', 'Bash(git:*)']],
    ['\n  - Read\n  - Bash(npm run test, lint)', ['Read', 'Bash(npm run test, lint)']],
    [
      'Bash(git add:*), Bash(git commit -m *), mcp__server__tool',
      ['Bash(git add:*)', 'Bash(git commit -m *)', 'mcp__server__tool'],
    ],
    ['Bash(*), WebFetch(domain:example.com)', ['Bash', 'WebFetch(domain:example.com)']],
  ])('reads allowed tools as %j', (written, allowedTools) => {
    proves('S2.FR-2.4.split', 'S2.FR-2.3.allowed-tools', 'S2.concept.tool-restriction.parse');
    expectRead(`allowed-tools: ${written}`, { allowedTools });
  });

  it.each(['', '""', '[]', '" , "'])('allows every tool with allowed-tools %j', (written) => {
    proves('S2.FR-2.4.empty');
    const { skills, diagnostics } = read(`allowed-tools: ${written}`);
    expect(skills[0]?.allowedTools).toBeUndefined();
    expect(diagnostics).toEqual([]);
  });

  it('reports tools that cannot be parsed, and keeps them as written, which allows nothing', () => {
    expectRead('allowed-tools: Read, Bash(git', { allowedTools: ['Read', 'Bash(git'] }, ['allowed-tools-entry']);
  });

  it.each([
    ['1.2.3', '1.2.3', []],
    ['"2.0.0-beta.1+build.5"', '2.0.0-beta.1+build.5', []],
    ['1.10', '1.10.0', ['version-completed']],
    ['2', '2.0.0', ['version-completed']],
    ['v1.4.0', '1.4.0', ['version-completed']],
    ['1.0 # note', '1.0.0', ['version-completed']],
    ['latest', undefined, ['version-invalid']],
    ['', undefined, []],
  ])('reads the version %j', (written, version, codes) => {
    proves('S2.FR-2.3.version');
    const { skills, diagnostics } = read(`version: ${written}`);
    expect(skills[0]?.version).toBe(version);
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  });

  it.each(['inherit', 'sonnet', 'opus', 'claude-sonnet-4-5-20250929'])('reads the model %s', (model) => {
    proves('S2.FR-2.3.model');
    expectRead(`model: ${model}`, { model });
  });

  it.each([
    ...['true', 'True', 'yes', 'on', '1', '"true"', 'Y'].map((word) => [word, true] as const),
    ...['false', 'no', 'off', '0', '"no"'].map((word) => [word, false] as const),
  ])('reads disable-model-invocation: %s', (written, disableModelInvocation) => {
    proves('S2.FR-2.3.disable-model-invocation');
    expectRead(`disable-model-invocation: ${written}`, { disableModelInvocation });
  });

  it.each<[string, Partial<SkillMetadata>]>([
    ['license: MIT', { license: 'MIT' }],
    ['compatibility: Needs git.', { compatibility: 'Needs git.' }],
    [
      'metadata:\n  author: x\n  version: "1.0"\n  nested: { a: [1, 2] }',
      { metadata: { author: 'x', version: '1.0', nested: { a: [1, 2] } } },
    ],
    ['disallowed-tools: Write, Bash(rm:*)', { disallowedTools: ['Write', 'Bash(rm:*)'] }],
    ['model-hints:\n  gpt: gpt-5\n  default: small', { modelHints: { gpt: 'gpt-5', default: 'small' } }],
    ['user-invocable: false', { userInvocable: false }],
    ['when_to_use: When asked.', { whenToUse: 'When asked.' }],
    ['argument-hint: "[file] [page]"', { argumentHint: '[file] [page]' }],
    ['argument-hint: [file]', { argumentHint: '[file]' }],
    ['arguments: source target', { arguments: ['source', 'target'] }],
    ['arguments: [source, target]', { arguments: ['source', 'target'] }],
    ['triggers: tool_call_error, my_event', { triggers: ['tool_call_error', 'my_event'] }],
    ['triggers:\n  - turn_start\n  - task_match', { triggers: ['turn_start', 'task_match'] }],
    ['tags: a, b\nkeywords: [b, c]\ncategory: Data', { tags: ['a', 'b', 'c', 'Data'] }],
    ['dependencies: [one, two]', { dependencies: ['one', 'two'] }],
    ['dependencies:\n  one: ^1.0', { dependencies: ['one@^1.0'] }],
    ['author: Someone', { author: 'Someone' }],
    ['author: { name: Someone, email: a@b }', { author: 'Someone' }],
    ['created: 2026-01-02\nlast_updated: 2026-02-03', { created: '2026-01-02', lastUpdated: '2026-02-03' }],
    ['homepage: https://example.com/x', { homepage: 'https://example.com/x' }],
    ['mode: auto', { mode: 'auto' }],
    ['mode: off', { mode: 'off' }],
    [
      'context: fork\nagent: Explore\neffort: high\nshell: bash',
      { context: 'fork', agent: 'Explore', effort: 'high', shell: 'bash' },
    ],
    ['hooks:\n  PreToolUse: []', { hooks: { PreToolUse: [] } }],
    ['paths: ["src/**", "*.{ts,js}"]', { paths: ['src/**', '*.{ts,js}'] }],
    ['paths: src/**, *.md', { paths: ['src/**', '*.md'] }],
    ['background: yes', { background: true }],
    [
      'requires: { bins: [git], env: TOKEN, os: [linux] }',
      { requires: { bins: ['git'], env: ['TOKEN'], os: ['linux'] } },
    ],
    ['metadata: { openclaw: { requires: { bins: [git] } } }', { requires: { bins: ['git'] } }],
    ['anything: { else: 1 }\nX-Note: kept', { extra: { anything: { else: 1 }, 'X-Note': 'kept' } }],
  ])('keeps and types %j', (lines, expected) => {
    proves('S2.FR-2.AC.structured');
    expectRead(lines, expected);
  });

  it.each(['allowed-tools', 'allowed_tools', 'allowedTools'])('accepts %s as the same key', (key) => {
    expectRead(`${key}: Read`, { allowedTools: ['Read'] });
  });

  it('reports two spellings of one key, and uses the last one', () => {
    expectRead('allowed-tools: Read\nallowed_tools: Write', { allowedTools: ['Write'] }, ['field-twice']);
  });

  it.each([
    ['license: [MIT, Apache-2.0]', 6],
    ['metadata: text', 6],
    ['note: first\nmode: sometimes', 7],
    ['disable-model-invocation: perhaps', 6],
    ['model-hints: [gpt]', 6],
    ['requires: git', 6],
    ['hooks: none', 6],
    ['triggers: { a: 1 }', 6],
  ])('reports %j as a value of the wrong type, with its line', (lines, line) => {
    proves('S2.FR-2.AC.clear-errors');
    const tree = createSkillTree({
      'skills/subject/SKILL.md': `---\nname: subject\ndescription: Subject.\n# comment\nother: x\n${lines}\n---\n`,
    });
    const { skills, diagnostics } = new SkillManager({ cwd: tree.root }).discoverSync();
    expect(skills).toHaveLength(1);
    expect(diagnostics).toMatchObject([
      {
        code: 'field-type',
        severity: 'warning',
        category: 'validation',
        path: tree.path('skills/subject/SKILL.md'),
        line,
      },
    ]);
  });
});
