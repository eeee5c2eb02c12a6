import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemorySource, SkillwrightError } from '../../packages/skillwright/src/index.ts';
import { createRuntime, type Runtime } from '../../packages/skillwright/src/host.ts';
import { proves } from '../proves.ts';
import { goodSkill } from '../support/skill-tree.ts';
import { FUZZ_RUNS } from './fuzz-runs.ts';

function runtimeOf(content: string | Uint8Array, strict: boolean): Runtime {
  const skills = [
    { directory: 'good', files: { 'SKILL.md': goodSkill('good') } },
    { directory: 'subject', files: { 'SKILL.md': content } },
  ];
  return createRuntime({ sources: [createMemorySource(skills)], strict });
}

/** Expects that any SKILL.md is listed or refused with an error, and loads or fails with a coded error. */
function expectTaken(content: string | Uint8Array): void {
  for (const strict of [false, true]) {
    const { catalog } = runtimeOf(content, strict);
    const snapshot = catalog.refreshSync();
    expect(snapshot.find('good')?.metadata.name).toBe('good');
    const record = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)].find(
      ({ directoryName }) => directoryName === 'subject',
    );
    const refusal = snapshot.refused.find(({ directoryName }) => directoryName === 'subject');
    if (record === undefined) {
      expect(refusal?.diagnostics.some(({ severity }) => severity === 'error')).toBe(true);
      continue;
    }
    expect(refusal).toBeUndefined();
    expect(record.name).not.toBe('');
    expect(record.description).not.toBe('');
    expect(() => structuredClone(record)).not.toThrow();
    for (const { path, line } of snapshot.diagnostics) {
      expect(path).not.toBe('');
      if (line !== undefined) expect(line).toBeGreaterThan(0);
    }
    const found = snapshot.find('subject');
    if (found === undefined) continue;
    try {
      expect(catalog.bodySync(found)).toBeTypeOf('string');
    } catch (error) {
      if (!SkillwrightError.isInstance(error)) throw error;
    }
  }
}

const fragments = fc.constantFrom(
  '---',
  '---\n',
  '\n---\n',
  '--- \n',
  '---js\n',
  '---\r\n',
  '\r\n',
  '\n',
  '\r',
  '\t',
  ' ',
  '  ',
  ': ',
  ':',
  '- ',
  '-',
  '#',
  ' # ',
  '? ',
  '|',
  '|\n',
  '>-\n',
  '&a ',
  '*a',
  '!!str ',
  '!x ',
  '%YAML 1.2\n',
  '"',
  "'",
  '[',
  ']',
  '{',
  '}',
  ',',
  '\uFEFF',
  '\0',
  '\u0085',
  '\u2028',
  '€',
  '🦉',
  'name',
  'name: ',
  'name: subject\n',
  'description: ',
  'description: d\n',
  'version: 1.10\n',
  'allowed-tools: ',
  'Bash(git:*)',
  'tags:\n',
  '  - a\n',
  'metadata:\n',
  '  k: v\n',
  '__proto__: ',
  '<<: ',
  '...\n',
  '# Title\n',
  'text',
  'true',
  'null',
  '~',
  '0x1F',
  '1e3',
  '.inf',
  '2026-01-01',
  '\\',
  '\\u0041',
  '```\n',
  '<!--',
  '-->',
);

describe('a SKILL.md becomes a skill or an error, never an exception,', () => {
  it('with arbitrary bytes', () => {
    proves('S2.FR-8.4.recovery', 'S2.FR-1.5.graceful');
    fc.assert(fc.property(fc.uint8Array({ maxLength: 6_000 }), expectTaken), { numRuns: FUZZ_RUNS });
  });

  it('with arbitrary bytes between delimiters', () => {
    const framed = fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => Buffer.concat([Buffer.from('---\n'), bytes, Buffer.from('\n---\nBody.\n')]));
    fc.assert(fc.property(framed, expectTaken), { numRuns: FUZZ_RUNS });
  });

  it('with fragments that have a meaning in YAML and Markdown', () => {
    const texts = fc.array(fragments, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(fc.property(texts, expectTaken), { numRuns: FUZZ_RUNS });
    const framed = fc
      .array(fragments, { maxLength: 40 })
      .map((parts) => `---\nname: subject\n${parts.join('')}\n---\nBody.\n`);
    fc.assert(fc.property(framed, expectTaken), { numRuns: FUZZ_RUNS });
  });

  it('if some bytes of a valid file are changed', () => {
    const good = Buffer.from(goodSkill('subject', 'Does things — well. Use when: asked "now".'));
    const changes = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    const changed = changes.map((list) => {
      const bytes = Uint8Array.from(good);
      for (const [index, byte] of list) bytes[index] = byte;
      return bytes;
    });
    fc.assert(fc.property(changed, expectTaken), { numRuns: FUZZ_RUNS });
  });
});

describe('any body', () => {
  const bodyOf = (content: Uint8Array): string => {
    const { catalog } = runtimeOf(content, false);
    const record = catalog.refreshSync().find('subject');
    if (record === undefined) throw new Error('the skill was refused');
    return catalog.bodySync(record);
  };

  it('after frontmatter is kept byte for byte', () => {
    proves('S2.FR-2.2.preserve');
    const bodies = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5_000 }),
      fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    const opening = fc.constantFrom(
      '---\nname: subject\ndescription: d\n---\n',
      '\uFEFF---\r\nname: subject\r\ndescription: d\r\n---\r\n',
      '\n---\nname: subject\ndescription: d\n---  \n',
    );
    const isKept = (body: string, head: string): void => {
      const bytes = Buffer.from(body);
      expect(Buffer.from(bodyOf(Buffer.concat([Buffer.from(head), bytes])))).toEqual(bytes);
    };
    fc.assert(fc.property(bodies, opening, isKept), { numRuns: FUZZ_RUNS });
  });

  it('is the whole text if there is no frontmatter', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => /^[\p{L}\p{N}]/u.test(text));
    fc.assert(
      fc.property(texts, (text) => {
        expect(bodyOf(Buffer.from(text))).toBe(text);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
