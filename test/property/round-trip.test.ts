import fc from 'fast-check';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { createMemorySource, type SkillMetadata } from '../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../packages/skillwright/src/host.ts';
import { compareFields } from '../compat/field-comparison.ts';
import { proves } from '../proves.ts';
import { FUZZ_RUNS } from './fuzz-runs.ts';

function readFrontmatter(yaml: string, directory = 'subject'): Snapshot {
  const skill = { directory, files: { 'SKILL.md': `---\n${yaml}${yaml.endsWith('\n') ? '' : '\n'}---\nBody.\n` } };
  return createRuntime({ sources: [createMemorySource([skill])] }).catalog.refreshSync();
}

const name = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}$/);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.lorem({ mode: 'sentences', maxCount: 4 }),
  fc
    .array(
      fc.constantFrom(
        'a',
        'B:',
        ': ',
        '#',
        ' #',
        '- ',
        '---',
        '\n',
        '\n\n',
        '"',
        "'",
        '|',
        '>',
        '@x',
        '`',
        '%',
        '1.0',
        'true',
        '~',
        '{',
        '[',
        ', ',
        '\t',
        '  ',
        '\u00a0',
        '\\',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join('')),
);
/** White space at both ends is not part of any field. */
const trimmed = text.map((value) => value.trim()).filter((value) => value !== '');
const words = fc.uniqueArray(fc.stringMatching(/^[A-Za-z][\w.-]{0,12}$/), { minLength: 1, maxLength: 5 });
const tool = fc.oneof(
  fc.constantFrom('Read', 'Write', 'Bash', 'mcp__server__tool', 'Task'),
  fc.stringMatching(/^[A-Z][a-z]{1,6}\([a-z]{1,5}( [a-z*]{1,5}){0,2}(:\*)?\)$/),
);
const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('-0'));
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

/** Frontmatter fields with the values that must be read back. */
const fields = fc.record({
  name,
  description: trimmed,
  license: optional(trimmed),
  compatibility: optional(trimmed),
  metadata: optional(
    fc.dictionary(
      words.map(([word]) => word ?? 'x'),
      json,
      { maxKeys: 4 },
    ),
  ),
  'allowed-tools': optional(fc.uniqueArray(tool, { minLength: 1, maxLength: 5 })),
  'disallowed-tools': optional(fc.uniqueArray(tool, { minLength: 1, maxLength: 3 })),
  version: optional(fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((parts) => parts.join('.'))),
  model: optional(trimmed),
  'disable-model-invocation': fc.boolean(),
  'user-invocable': optional(fc.boolean()),
  when_to_use: optional(trimmed),
  'argument-hint': optional(trimmed),
  arguments: optional(words),
  triggers: optional(words),
  tags: optional(words),
  homepage: optional(trimmed),
  context: optional(trimmed),
  agent: optional(trimmed),
  'x-unknown': optional(json),
});

const styles = fc.record({
  flowLevel: fc.constantFrom(-1, 0, 1, 2),
  lineWidth: fc.constantFrom(-1, 40, 80),
  indent: fc.constantFrom(2, 4),
  quoteStyle: fc.constantFrom<'single' | 'double'>('single', 'double'),
});

const CAMEL: Readonly<Record<string, keyof SkillMetadata>> = {
  'allowed-tools': 'allowedTools',
  'disallowed-tools': 'disallowedTools',
  'disable-model-invocation': 'disableModelInvocation',
  'user-invocable': 'userInvocable',
  when_to_use: 'whenToUse',
  'argument-hint': 'argumentHint',
};

describe('any frontmatter written by a YAML library', () => {
  it('is read back with the same values', () => {
    proves('S2.FR-2.AC.structured', 'S2.FR-2.1.optional', 'S2.FR-2.3.allowed-tools');
    fc.assert(
      fc.property(fields, styles, (values, style) => {
        const written = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
        const snapshot = readFrontmatter(dump(written, { ...style, schema: CORE_SCHEMA }), values.name);
        const [skill] = snapshot.skills;
        const expected: Record<string, unknown> = {};
        for (const [key, value] of Object.entries(written))
          if (key !== 'x-unknown') expected[CAMEL[key] ?? key] = value;
        const actual = Object.fromEntries(
          Object.keys(expected).map((key) => [key, skill?.[key as keyof SkillMetadata]]),
        );
        expect(actual).toEqual(expected);
        if ('x-unknown' in written) expect(skill?.extra?.['x-unknown']).toEqual(written['x-unknown']);
        const repairs = snapshot.diagnostics.filter(({ category }) => category === 'parsing');
        expect(repairs).toEqual([]);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'name',
          'description',
          'license',
          'version',
          'tags',
          'allowed-tools',
          'metadata',
          'triggers',
          'x-a',
          'x-b',
          '"quoted key"',
          'when_to_use',
          'model',
        ),
        fc.constantFrom(':', ': ', ':  ', ' : ', ':\t'),
        fc.oneof(
          trimmed,
          fc.constantFrom(
            '',
            '|',
            '>',
            '>-',
            '|-',
            '|+',
            '>2',
            '[a, b]',
            '[a, "b, c", \'d\']',
            '{a: b}',
            '"a\\tb"',
            '"a\\',
            "'it''s'",
            '!!str 1',
            '&x y',
            '*x',
            '0x1F',
            '0o17',
            '1_000',
            '1e3',
            '.5',
            '+1',
            '-0',
            '007',
            '12:30',
            'yes',
            'Null',
            '~',
            'a # b',
            'a #b',
            'a: b',
            'a:',
            '- a',
            '? a',
            '2026-01-01',
            'a "b"',
            '"a" b',
          ),
        ),
      )
      .map((parts) => parts.join('')),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('  ', '    ', ' ', '\t', ''),
        fc.constantFrom('- ', '-', '', '# '),
        fc.constantFrom('a', 'b: c', 'k: v', '"q"', '', 'a: ', '- x', 'text goes on', '1.10', '[x]'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '# comment', '  ', '...', '%TAG', 'plain text', '"', '}') },
);

describe('any frontmatter', () => {
  it('gets the same result from the fast path as from the full parser, if the latter accepts it', () => {
    proves('S2.FR-2.1.delimiters');
    const texts = fc
      .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, end]) => ['name: subject', ...lines, ''].join(end));
    fc.assert(
      fc.property(texts, (yaml) => {
        fc.pre(!/^---[ \t]*\r?$/m.test(yaml));
        let full: unknown;
        try {
          full = load(yaml, { schema: CORE_SCHEMA, json: true });
        } catch {
          return;
        }
        const snapshot = readFrontmatter(yaml);
        const skill = snapshot.skills[0];
        if (skill === undefined || typeof full !== 'object' || full === null || Array.isArray(full)) return;
        expect(compareFields(full as Record<string, unknown>, skill)).toEqual([]);
      }),
      { numRuns: FUZZ_RUNS * 5 },
    );
  });
});
