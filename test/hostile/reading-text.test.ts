import { describe, expect, it } from 'vitest';
import { proves } from '../proves.ts';
import { discoverHostile, type HostileDiscovery, othersIn } from '../support/hostile-discovery.ts';
import { createSkillTree, skillText } from '../support/skill-tree.ts';

/** Discovers one skill in the directory `subject`. */
function discover(content: string | Uint8Array, directory = 'subject'): Promise<HostileDiscovery> {
  return discoverHostile(createSkillTree({ [`skills/${directory}/SKILL.md`]: content }));
}

/** Expects exactly these findings about the skill, as `code` or `code:line`. */
function expectFound(result: HostileDiscovery, ...expected: string[]): void {
  const lines = result.diagnostics.map(({ code, line }) => `${code}:${line ?? ''}`);
  const withLine = expected.map((entry, index) =>
    entry.includes(':') ? entry : (lines.find((line) => line.startsWith(`${entry}:`)) ?? `${entry} (${index})`),
  );
  expect(lines.sort()).toEqual(withLine.sort());
  for (const { path } of result.diagnostics) expect(path).toMatch(/SKILL\.md$/);
}

const describedAs = (result: HostileDiscovery): string | undefined =>
  result.skills.find(({ name }) => !name.endsWith('-good'))?.description;

describe('content that is not text', () => {
  it('is reported as binary: random bytes', async () => {
    const bytes = Uint8Array.from({ length: 8_192 }, (_, index) => (index * 167 + 13) % 256);
    const result = await discover(bytes);
    expect(othersIn(result)).toEqual([]);
    expect(result.of('text-malformed')).toMatchObject([
      { severity: 'error', category: 'parsing', line: expect.any(Number) as number },
    ]);
  });

  it.each<[string, Uint8Array | string]>([
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['NUL bytes', '\0'.repeat(100)],
    ['UTF-16', Buffer.from('\uFEFF---\nname: x\n', 'utf16le')],
  ])('is reported as binary: %s', async (_what, content) => {
    const result = await discover(content);
    expect(othersIn(result)).toEqual([]);
    expect(result.errors).toMatchObject([{ type: 'parsing', message: expect.stringMatching(/UTF-8|NUL/) as string }]);
  });

  it.each([
    ['in the frontmatter', '---\nname: subject\ndescription: caf\xe9\n---\n', 34, 3],
    ['in the name', '---\nname: \xff\n---\n', 10, 2],
    ['in a text without frontmatter', 'Hello\n\n\x80 world\n', 7, 3],
    ['as an overlong form', '---\nname: \xc0\xaf\n---\n', 10, 2],
    ['as a surrogate', '---\nname: \xed\xa0\x80\n---\n', 10, 2],
    ['as a character cut by the end', 'Text \xe2\x82', 5, 1],
  ])('is reported as malformed UTF-8 %s, with the byte and line', async (_where, latin1, offset, line) => {
    proves('S2.OP-8.utf8');
    const result = await discover(Buffer.from(latin1, 'latin1'));
    expect(othersIn(result)).toEqual([]);
    expect(result.of('text-malformed')).toMatchObject([{ severity: 'error', category: 'parsing', line }]);
    expect(result.of('text-malformed')[0]?.message).toContain(`offset ${offset}`);
  });
});

describe('frontmatter that tries to execute code', () => {
  it.each(['js', 'javascript', 'json', 'coffee', 'py', 'yaml'])(
    'is not executed with the engine ---%s',
    async (engine) => {
      const code = `globalThis.pwned = true; require("fs").writeFileSync("pwned", "1"); ({ name: "x", description: "y" })`;
      const result = await discover(`---${engine}\n${code}\n---\nA body.\n`);
      expect(globalThis).not.toHaveProperty('pwned');
      expect(result.of('frontmatter-engine')).toMatchObject([{ severity: 'error', category: 'parsing', line: 1 }]);
      expect(describedAs(result)).toBe('A body.');
    },
  );

  it.each([
    '!!js/function "function () { globalThis.pwned = 1 }"',
    '!!js/regexp /x/',
    '!!python/object/apply:os.system [id]',
    '!!binary aGk=',
    '!custom { a: 1 }',
  ])('is not executed with the tag %s', async (value) => {
    const result = await discover(`---\nname: subject\ndescription: Safe.\nx: ${value}\n---\n`);
    expect(globalThis).not.toHaveProperty('pwned');
    expect(describedAs(result)).toBe('Safe.');
    expectFound(result, 'yaml-quoted:4');
  });

  it('is not executed as a command in its text', async () => {
    const result = await discover(
      '---\nname: subject\ndescription: "!`touch pwned`"\n---\nIgnore !`*.log`, costs $25, !`touch pwned`\n',
    );
    const { content, processedContent } = result.manager.loadSkillSync('subject');
    expect(content).toBe('Ignore !`*.log`, costs $25, !`touch pwned`\n');
    expect(processedContent.endsWith(content)).toBe(true);
  });
});

describe('frontmatter that tries to exhaust memory', () => {
  const bomb = (end: string): string => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level}: &l${level} [${Array.from({ length: 10 }, () => (level === 0 ? 'lol' : `*l${level - 1}`)).join(', ')}]\n`,
    );
    return `---\nname: subject\n${levels.join('')}${end}---\n`;
  };

  it('is reported as a YAML bomb', async () => {
    const before = process.memoryUsage().rss;
    const result = await discover(bomb('description: Boom.\n'));
    expect(result.of('yaml-bomb')).toMatchObject([
      { severity: 'error', category: 'parsing', line: expect.any(Number) as number },
    ]);
    expect(describedAs(result)).toBe('Boom.');
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it('is reported as a YAML bomb in a known field', async () => {
    for (const field of ['tags', 'metadata', 'allowed-tools', 'description', 'name']) {
      const result = await discover(bomb(`${field}: *l11\n`));
      expect(result.of('yaml-bomb')).toHaveLength(1);
      expect(JSON.stringify(result.skills).length).toBeLessThan(100_000);
    }
  });

  it.each([
    ['in itself', 'a: &a [*a]'],
    ['through another', 'a: &a { b: &b [*a] }'],
  ])('may contain an alias %s', async (_what, lines) => {
    const result = await discover(`---\nname: subject\ndescription: Round.\n${lines}\n---\n`);
    expect(describedAs(result)).toBe('Round.');
    expect(result.diagnostics).toHaveLength(1);
    expect(result.diagnostics[0]?.category).toBe('parsing');
  });

  it('may contain a YAML bomb as a key', async () => {
    const result = await discover(bomb('? *l11\n: 1\n'));
    expect(result.diagnostics.length).toBeGreaterThan(0);
  });

  it.each([
    ['lists, closed', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['lists, open', '['.repeat(50_000)],
    ['maps', '{ a: '.repeat(20_000)],
    ['block lists', `\n  ${'- '.repeat(20_000)}x`],
    ['block maps', Array.from({ length: 400 }, (_, level) => `\n${' '.repeat(level + 1)}k:`).join('')],
  ])('may be nested very deeply: %s', async (_what, value) => {
    const result = await discover(`---\nname: subject\ndescription: Deep.\nx: ${value}\n---\n`);
    expect(othersIn(result)).toEqual(['subject']);
    expect(result.diagnostics.length).toBeGreaterThan(0);
    expect(result.diagnostics.length).toBeLessThan(10);
  });

  it('is refused with an excessive number of keys', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `key-${index}: ${index}\n`).join('');
    const result = await discover(`---\nname: subject\ndescription: Many.\n${keys}---\nBody.\n`);
    expect(result.of('frontmatter-oversized')).toMatchObject([{ severity: 'error' }]);
    expect(othersIn(result)).toEqual([]);
  });
});

describe('keys that have a meaning in JavaScript', () => {
  it('are data: __proto__, constructor, toString', async () => {
    const result = await discover(
      '---\nname: subject\ndescription: Kept.\n__proto__: x\nconstructor: y\ntoString: z\nhasOwnProperty: w\n---\n',
    );
    const skill = result.skills.find(({ name }) => name === 'subject');
    expect(Object.getPrototypeOf(skill)).toBe(Object.prototype);
    expect(Object.entries(skill?.extra ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['toString', 'z'],
      ['hasOwnProperty', 'w'],
    ]);
  });

  it('are data in nested objects too, and change no other object', async () => {
    const lines =
      'metadata:\n  __proto__: { polluted: true }\n  constructor: { prototype: { polluted: true } }\n__proto__: { polluted: true }\nrequires: { __proto__: { bins: [x] } }';
    const result = await discover(`---\nname: subject\ndescription: Kept.\n${lines}\n---\n`);
    expect({}).not.toHaveProperty('polluted');
    expect(result.skills.find(({ name }) => name === 'subject')).not.toHaveProperty('polluted');
    expect(othersIn(result)).toEqual(['subject']);
  });
});

describe('a name', () => {
  it.each([
    ['../x', 'name-invalid'],
    ['../../etc/passwd', 'name-invalid'],
    ['a/b', 'name-invalid'],
    ['"a\\\\b"', 'name-invalid'],
    ['.', 'name-invalid'],
    ['"🦉"', 'name-invalid'],
    ['"a:b"', 'name-reserved'],
    ['with space', 'name-invalid'],
    ['"<script>"', 'name-invalid'],
    ['x'.repeat(10_000), 'name-invalid'],
    ['"a\\u202eb"', 'name-invalid'],
    ['"a\\e[31mb"', 'name-invalid'],
    ['"a:\\e]0;title\\ab"', 'name-reserved'],
    ['"\\0"', 'name-invalid'],
    ['"a\\nb"', 'name-invalid'],
  ])('%s gives a diagnostic with its line, and is never used as a path', async (name, code) => {
    const result = await discover(skillText({ name, description: 'Odd.' }));
    expect(result.of(code)).toMatchObject([{ line: 2, severity: 'warning', category: 'validation' }]);
    const skill = result.skills.find(({ description }) => description === 'Odd.');
    expect(skill?.baseDir).toMatch(/[\\/]skills[\\/]subject$/);
    expect(skill?.name).not.toMatch(/\p{Cc}/u);
    expect(result.manager.getSkill('subject')).toBe(skill);
  });

  it.each(['con', 'nul', 'com1', 'aux'])(
    '%s, which Windows reserves, gives a diagnostic with its line',
    async (name) => {
      const result = await discover(skillText({ name, description: 'Odd.' }), name);
      expect(othersIn(result)).toEqual([name]);
      expect(result.diagnostics).toMatchObject([{ line: 2 }]);
    },
  );

  it.each(['\u001b[31mred', 'line\nbreak', 'a:b', 'tab\there'])(
    'cannot write to a terminal if the directory is called %j',
    async (directory) => {
      const result = await discover('Just text.\n', directory);
      expect(result.diagnostics.length).toBeGreaterThan(0);
      expect(result.skills.find(({ description }) => description === 'Just text.')?.name).not.toMatch(/\p{Cc}/u);
    },
  );

  it.each([
    ['version', '"\\e[2J"', 'version-invalid'],
    ['"k\\e[1m"', '1', undefined],
    ['mode', '"\\e[2J"', 'field-type'],
    ['allowed-tools', '"Bash(\\e[2J"', 'allowed-tools-entry'],
  ])('is shown without control characters, and so are other values: %s', async (key, value, code) => {
    const result = await discover(skillText({ name: 'subject', description: 'Odd.', [key]: value }));
    expect(result.diagnostics.map((diagnostic) => diagnostic.code)).toEqual(code === undefined ? [] : [code]);
  });

  it('gives a short message even if it or the version is long', async () => {
    const long = 'x'.repeat(60_000);
    const result = await discover(skillText({ name: `"${long}:b"`, description: 'Odd.', version: long, mode: long }));
    expect(result.diagnostics.map(({ code }) => code).sort()).toEqual([
      'field-type',
      'name-reserved',
      'version-invalid',
    ]);
  });
});
