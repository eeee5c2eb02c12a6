import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { parseSkillBody } from './skill-body.ts';
import { parseSkillHead, type SkillHead } from './skill-head.ts';

interface Options {
  strict?: boolean;
  headBytes?: number;
  directoryName?: string;
}

function read(
  content: string | Buffer,
  options: Options = {},
): { head: SkillHead | undefined; diagnostics: Diagnostic[]; codes: string[] } {
  const bytes = Buffer.from(content);
  const { strict = false, headBytes = 4_096, directoryName = 'my-skill' } = options;
  const diagnostics: Diagnostic[] = [];
  const head = parseSkillHead(
    {
      bytes: bytes.subarray(0, headBytes),
      length: Math.min(bytes.length, headBytes),
      complete: bytes.length <= headBytes,
      path: 'my-skill/SKILL.md',
      directoryName,
      strict,
      maxFrontmatterBytes: 20_000,
      readMore: (maxBytes) => bytes.subarray(0, maxBytes),
    },
    diagnostics,
  );
  return { head, diagnostics, codes: diagnostics.map(({ code }) => code) };
}

const GOOD = '---\nname: my-skill\ndescription: Does things\n---\n\n# Title\n';

describe('a well-formed file', () => {
  it('has a name, a description and no diagnostics, even in strict mode', () => {
    proves('S2.FR-2.1.required');
    for (const strict of [false, true]) {
      expect(read(GOOD, { strict })).toMatchObject({
        head: { name: 'my-skill', description: 'Does things' },
        codes: [],
      });
    }
  });

  it.each([
    ['a byte order mark', `\uFEFF${GOOD}`, []],
    ['CRLF', GOOD.replaceAll('\n', '\r\n'), []],
    ['blank lines at the top', `\n\n${GOOD}`, ['frontmatter-leading-blank']],
    ['no body', '---\nname: my-skill\ndescription: Does things\n---\n', []],
    ['no newline at the end', '---\nname: my-skill\ndescription: Does things\n---', []],
  ])('reads %s', (_, text, codes) => {
    proves('S2.FR-2.2.empty');
    expect(read(text)).toMatchObject({ head: { name: 'my-skill', description: 'Does things' }, codes });
  });
});

describe('names', () => {
  it.each<[string, string, string[]]>([
    ['name: Other', 'Other', ['name-invalid', 'name-mismatch']],
    ['name: other', 'other', ['name-mismatch']],
    ['name: a:b', 'my-skill', ['name-reserved']],
    ['license: MIT', 'my-skill', ['name-missing']],
    ['name:', 'my-skill', ['name-missing']],
    ['name: ../x', '../x', ['name-invalid', 'name-mismatch']],
    ['name: 🎉', '🎉', ['name-invalid', 'name-mismatch']],
    ['name: "a\\u001b[31mb"', 'my-skill', ['name-invalid', 'name-mismatch']],
    ['name: my-skill', 'my-skill', []],
  ])('come from frontmatter or else the directory, and problems are reported: %s', (line, name, codes) => {
    proves('S2.FR-2.3.name');
    const result = read(`---\n# comment\n${line}\ndescription: x\n---\n`);
    expect(result.head?.name).toBe(name);
    expect(result.codes).toEqual(codes);
    const named = result.diagnostics.find(({ code }) => code === 'name-mismatch' || code === 'name-reserved');
    if (named !== undefined) expect(named.line).toBe(3);
    const strict = read(`---\n${line}\ndescription: x\n---\n`, { strict: true });
    expect(strict.head === undefined).toBe(codes.length > 0);
  });
});

describe('descriptions from the body', () => {
  it('are the first paragraph if there is no frontmatter', () => {
    const { head, codes } = read('# Title\n\nDoes things\nfor people.\n');
    expect(head).toMatchObject({ name: 'my-skill', description: 'Does things for people.' });
    expect(codes).toEqual(['frontmatter-missing', 'description-missing', 'name-missing']);
  });

  it('are used if the field is missing, even beyond the head', () => {
    expect(read('---\nname: my-skill\n---\nDoes things.').head?.description).toBe('Does things.');
    const far = `---\nname: my-skill\n---\n${'# heading\n'.repeat(600)}\nDoes things.`;
    expect(read(far).head?.description).toBe('Does things.');
  });

  it('cannot be made if the body is empty, so the skill is refused', () => {
    proves('S2.FR-2.1.required');
    expect(read('---\nname: my-skill\n---\n')).toMatchObject({ head: undefined, codes: ['description-absent'] });
    expect(read('---\n---\n')).toMatchObject({ head: undefined, codes: ['description-absent'] });
  });
});

describe('strict mode', () => {
  it.each<[string, string, string]>([
    ['an empty file', '', 'parsing'],
    ['white space', ' \n\t\n', 'parsing'],
    ['content without frontmatter', '# Title\n\nText.', 'validation'],
    ['a missing description', '---\nname: my-skill\n---\nText.', 'validation'],
    ['a missing name', '---\ndescription: x\n---\n', 'validation'],
    ['invalid YAML', '---\nname: my-skill\ndescription: a: b\n---\n', 'parsing'],
    ['an unclosed block', '---\nname: my-skill\ndescription: x\n', 'parsing'],
  ])('refuses %s', (_, text, category) => {
    const { head, diagnostics } = read(text, { strict: true });
    expect(head).toBeUndefined();
    expect(diagnostics.find(({ severity }) => severity === 'error')?.category).toBe(category);
  });

  it('accepts frontmatter without a body, and warns about a second block', () => {
    expect(read('---\nname: my-skill\ndescription: x\n---', { strict: true }).head).toBeDefined();
    const second = read('---\nname: my-skill\ndescription: x\n---\n\n---\nname: b\n---\n', { strict: true });
    expect(second.codes).toEqual(['frontmatter-second']);
    expect(second.diagnostics[0]?.line).toBe(6);
    expect(second.head?.name).toBe('my-skill');
  });

  it('does not mistake a horizontal rule in the body for a second block', () => {
    expect(read('---\nname: my-skill\ndescription: x\n---\n---\ntext\n---\n').codes).toEqual([]);
  });
});

describe('hostile files', () => {
  it('reports which byte is not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('---\nname: my-skill\ndescription: caf'),
      Buffer.from([0xe9]),
      Buffer.from('\n---\n'),
    ]);
    const { head, diagnostics } = read(bytes);
    expect(head).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: 'text-malformed', line: 3, category: 'parsing' }]);
    expect(diagnostics[0]?.message).toContain('byte 0xe9 at offset 35');
  });

  it('refuses binary data', () => {
    expect(read(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2])).codes).toContain('text-binary');
    expect(read(Buffer.from([0xff, 0xd8, 0xff, 0xe0])).codes).toContain('text-malformed');
  });

  it('never runs a code engine', () => {
    const marker = Symbol.for('skillwright.test.executed');
    const { head, diagnostics } = read(
      `---js\nglobalThis[Symbol.for('skillwright.test.executed')] = 1; ({ name: 'x' })\n---\nText.`,
    );
    expect(Reflect.get(globalThis, marker)).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ code: 'frontmatter-engine', severity: 'error', line: 1 });
    expect(head?.description).toBe('Text.');
    expect(read('---js\nx\n')).toMatchObject({ head: undefined });
  });

  it('tolerates a block that is never closed', () => {
    const { head, codes } = read('---\nname: my-skill\ndescription: x\n\n# Title\nText.');
    expect(head).toMatchObject({ name: 'my-skill', description: 'x' });
    expect(codes).toEqual(['frontmatter-unclosed']);
  });

  it('reads frontmatter longer than the head, and refuses frontmatter longer than the limit', () => {
    const long = (length: number): string =>
      `---\nname: my-skill\nnotes: ${'x'.repeat(length)}\ndescription: far\n---\nText.`;
    expect(read(long(10_000)).head?.description).toBe('far');
    expect(read(long(30_000))).toMatchObject({ head: undefined, codes: ['frontmatter-oversized'] });
  });

  it('handles a character that is cut at the end of the part that was read', () => {
    for (let headBytes = 40; headBytes < 60; headBytes += 1) {
      expect(read(`---\ndescription: ${'漢字'.repeat(20)}\n---\n`, { headBytes }).head?.description).toBe(
        '漢字'.repeat(20),
      );
      expect(read(`text ${'漢字'.repeat(20)}`, { headBytes }).head).toBeDefined();
    }
  });
});

describe('parseSkillBody', () => {
  it.each<[string, string, string]>([
    ['a block', GOOD, '\n# Title\n'],
    ['nothing if there is no block', 'Text.', 'Text.'],
    ['a byte order mark', '\uFEFFText.', 'Text.'],
    ['an unclosed block', '---\nname: x\n\n# Title', '\n# Title'],
    ['an unclosed block that ends at a heading', '---\nname: x\n# Title', '# Title'],
    ['an unclosed block without a body', '---\nname: x', ''],
    ['a block for a code engine', '---js\nx\n---\nText.', 'Text.'],
    ['an unclosed block for a code engine', '---js\nx', ''],
  ])('splits off %s', (_, text, body) => {
    proves('S2.FR-2.2.preserve');
    expect(parseSkillBody(Buffer.from(text))).toEqual({ ok: true, body });
  });

  it('keeps white space, code and line ends', () => {
    proves('S2.FR-2.2.preserve');
    const body = '\r\n```\r\n\tcode  \r\n```\r\n\r\n   \n';
    expect(parseSkillBody(Buffer.from(`---\nname: x\n---\n${body}`))).toEqual({ ok: true, body });
  });

  it('reports the byte that is not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('---\na: b\n---\nok '), Buffer.from([0xff])]);
    expect(parseSkillBody(bytes)).toEqual({ ok: false, offset: 16 });
  });
});
