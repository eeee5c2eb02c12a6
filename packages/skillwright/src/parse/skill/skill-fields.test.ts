import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillFields } from '../../spec/skill.ts';
import { readFrontmatter } from '../frontmatter/frontmatter.ts';
import { readSkillFields } from './skill-fields.ts';

function read(
  text: string,
  strict = false,
): { fields: SkillFields; found: [string, number | undefined][]; messages: string[] } {
  const diagnostics: Diagnostic[] = [];
  const source = { text, path: 'SKILL.md', firstLine: 2, strict };
  const fields = readSkillFields(readFrontmatter(source, diagnostics), source, diagnostics);
  return {
    fields,
    found: diagnostics.map(({ code, line }) => [code, line]),
    messages: diagnostics.map(({ message }) => message),
  };
}

describe('readSkillFields', () => {
  it('reads all optional fields of the requirements', () => {
    proves('S2.FR-2.1.optional', 'S2.FR-2.3.model', 'S2.FR-2.3.disable-model-invocation', 'S2.FR-2.AC.structured');
    const { fields, found } = read(
      'name: pdf\ndescription: Reads PDFs\nallowed-tools: Read, Write\nversion: 1.0.0\nmodel: inherit\ndisable-model-invocation: true\n',
    );
    expect(fields).toEqual({
      name: 'pdf',
      description: 'Reads PDFs',
      allowedTools: ['Read', 'Write'],
      version: '1.0.0',
      model: 'inherit',
      disableModelInvocation: true,
    });
    expect(found).toEqual([]);
  });

  it('reads fields that current hosts use', () => {
    const { fields, found } = read(
      [
        'license: Apache-2.0',
        'compatibility: Needs Python 3.10',
        'metadata: { author: me, nested: { deep: [1] } }',
        'disallowed-tools: [Bash(rm:*), WebFetch]',
        'model-hints: { gpt: gpt-5, default: small }',
        'user-invocable: no',
        'when_to_use: When asked',
        'argument-hint: "[file]"',
        'arguments: file mode',
        'triggers: tool_call_error, task_match',
        'tags: [a, b]',
        'keywords: b, c',
        'category: d',
        'dependencies: [other-skill]',
        'author: { name: Ada, email: a@example.com }',
        'created: 2025-12-30',
        'last_updated: 2026-01-01',
        'homepage: https://example.com',
        'mode: auto',
        'context: fork',
        'agent: reviewer',
        'hooks: { PreToolUse: [] }',
        'paths: "src/**, test/**"',
        'effort: high',
        'shell: bash',
        'background: yes',
        'requires: { bins: [git, jq], env: API_KEY, os: [linux] }',
        'custom-thing: 42',
      ].join('\n'),
    );
    expect(fields).toEqual({
      license: 'Apache-2.0',
      compatibility: 'Needs Python 3.10',
      metadata: { author: 'me', nested: { deep: [1] } },
      disallowedTools: ['Bash(rm:*)', 'WebFetch'],
      modelHints: { gpt: 'gpt-5', default: 'small' },
      userInvocable: false,
      whenToUse: 'When asked',
      argumentHint: '[file]',
      arguments: ['file', 'mode'],
      triggers: ['tool_call_error', 'task_match'],
      tags: ['a', 'b', 'c', 'd'],
      dependencies: ['other-skill'],
      author: 'Ada',
      created: '2025-12-30',
      lastUpdated: '2026-01-01',
      homepage: 'https://example.com',
      mode: 'auto',
      context: 'fork',
      agent: 'reviewer',
      hooks: { PreToolUse: [] },
      paths: ['src/**', 'test/**'],
      effort: 'high',
      shell: 'bash',
      background: true,
      requires: { bins: ['git', 'jq'], env: ['API_KEY'], os: ['linux'] },
      extra: { 'custom-thing': 42 },
    });
    expect(found).toEqual([]);
  });

  it('treats kebab, snake and camel case as the same key, and reports two spellings', () => {
    for (const key of ['allowed-tools', 'allowed_tools', 'allowedTools', 'Allowed-Tools']) {
      expect(read(`${key}: Read\n`).fields.allowedTools).toEqual(['Read']);
    }
    const twice = read('allowed_tools: Read\nallowed-tools: Write\n');
    expect(twice.fields.allowedTools).toEqual(['Write']);
    expect(twice.found).toEqual([['field-twice', 3]]);
  });

  it('reads requirements nested in metadata', () => {
    const nested = 'metadata:\n  openclaw:\n    requires:\n      bins: [ffmpeg]\n      anyBins: [a, b]\n';
    expect(read(nested).fields.requires).toEqual({ bins: ['ffmpeg'], anyBins: ['a', 'b'] });
    expect(read(`${nested}requires: { os: linux }\n`).fields.requires).toEqual({ os: ['linux'] });
  });
});

describe('values that need repair', () => {
  it.each<[string, Partial<SkillFields>, [string, number][]]>([
    ['name: 123', { name: '123' }, [['field-coerced', 2]]],
    ['name: 1.10', { name: '1.10' }, [['field-coerced', 2]]],
    ['name: true', { name: 'true' }, [['field-coerced', 2]]],
    ['name: [a, b]', {}, [['field-type', 2]]],
    ['description: 42', { description: '42' }, []],
    ['description: {a: b}', { description: 'a: b' }, [['field-type', 2]]],
    ['description: [a, {b: 1, c: }, [true]]', { description: 'a b: 1 c: true' }, [['field-type', 2]]],
    ['description:\n  Use when: asked', { description: 'Use when: asked' }, [['field-type', 2]]],
    ['description:\n  Does this. For:\n    - one', { description: 'Does this. For: one' }, [['field-type', 2]]],
    ['when_to_use:\n  Note: when asked', { whenToUse: 'Note: when asked' }, [['field-type', 2]]],
    ['description: {}', {}, [['field-type', 2]]],
    ['description: [[], {}]', {}, [['field-type', 2]]],
    ['description:', {}, []],
    ['license: 2.0', { license: '2.0' }, []],
    ['version: 1.10', { version: '1.10.0' }, [['version-completed', 2]]],
    ['version: "2"', { version: '2.0.0' }, [['version-completed', 2]]],
    ['version: newest', {}, [['version-invalid', 2]]],
    ['version: [1]', {}, [['field-type', 2]]],
    ['disable-model-invocation: "On"', { disableModelInvocation: true }, []],
    ['disable-model-invocation: 0', { disableModelInvocation: false }, []],
    ['disable-model-invocation: maybe', {}, [['field-type', 2]]],
    ['metadata: text', {}, [['field-type', 2]]],
    ['metadata:', {}, []],
    ['mode: sometimes', {}, [['field-type', 2]]],
    ['mode: true', { mode: 'on' }, []],
    ['tags: {a: b}', {}, [['field-type', 2]]],
    ['tags: [a, [b], c]', { tags: ['a', 'c'] }, [['field-type', 2]]],
    ['tags: 7', { tags: ['7'] }, []],
    ['tags:', {}, []],
    ['triggers: []', {}, []],
    ['argument-hint: [file]', { argumentHint: '[file]' }, []],
    ['argument-hint: [a] [b]', { argumentHint: '[a] [b]' }, [['yaml-quoted', 2]]],
    ['paths: "src/**/*.{ts,tsx}"', { paths: ['src/**/*.{ts,tsx}'] }, []],
    ['dependencies: { other: ^1.0 }', { dependencies: ['other@^1.0'] }, []],
    ['model-hints: [a]', {}, [['field-type', 2]]],
    ['model-hints: { gpt: [a], default: b }', { modelHints: { default: 'b' } }, [['field-type', 2]]],
    ['requires: git', {}, [['field-type', 2]]],
    ['hooks: none', {}, [['field-type', 2]]],
    ['allowed-tools:', {}, []],
    ['allowed-tools: ""', {}, []],
    ['allowed-tools: Bash(git', { allowedTools: ['Bash(git'] }, [['allowed-tools-entry', 2]]],
    ['author: [a, b]', { author: 'a b' }, [['field-type', 2]]],
  ])('are repaired or dropped, and reported if they lose something: %s', (line, fields, found) => {
    proves('S2.FR-2.3.disable-model-invocation', 'S2.FR-2.3.version');
    const result = read(`${line}\n`);
    expect(result.fields).toEqual(fields);
    expect(result.found).toEqual(found);
  });

  it('keeps a long description whole and reports it; strict mode makes it an error', () => {
    proves('S2.FR-2.3.description');
    const long = 'x'.repeat(1_025);
    expect(read(`description: ${long}\n`).fields.description).toBe(long);
    expect(read(`description: ${long}\n`).found).toEqual([['description-long', 2]]);
    expect(read(`description: ${'x'.repeat(1_024)}\n`).found).toEqual([]);
  });

  it('checks the length of the field compatibility', () => {
    expect(read(`compatibility: ${'x'.repeat(501)}\n`).found).toEqual([['compatibility-long', 2]]);
  });

  it('reports unknown fields only in strict mode', () => {
    expect(read('whatever: 1\n').found).toEqual([]);
    expect(read('whatever: 1\n', true).found).toEqual([['field-unknown', 2]]);
  });

  it('keeps unusual keys as data', () => {
    const { fields } = read('"__proto__": 1\nconstructor: 2\ntoString: 3\n');
    expect(Object.keys(fields.extra ?? {})).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(fields.extra)).toBe(Object.prototype);
  });
});
