import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { parseToolList, parseToolRule } from './allowed-tools.ts';

function entriesOf(value: unknown): readonly string[] {
  const { entries, problems } = parseToolList(value);
  expect(problems).toEqual([]);
  return entries;
}

describe('parseToolList: forms', () => {
  it('splits text at commas and strips white space', () => {
    proves('S2.FR-2.4.split', 'S2.FR-2.3.allowed-tools');
    expect(entriesOf('Read, Write, Grep')).toEqual(['Read', 'Write', 'Grep']);
    expect(entriesOf(' Read ,Write\t,\nGrep ')).toEqual(['Read', 'Write', 'Grep']);
  });

  it('splits text at spaces', () => {
    expect(entriesOf('Read Grep Bash(git diff:*) Write')).toEqual(['Read', 'Grep', 'Bash(git diff:*)', 'Write']);
    expect(entriesOf('Read\r\nGrep\tWrite')).toEqual(['Read', 'Grep', 'Write']);
  });

  it('splits text at commas and spaces together', () => {
    expect(entriesOf('Read, Write Grep,Bash(a b, c) Edit')).toEqual(['Read', 'Write', 'Grep', 'Bash(a b, c)', 'Edit']);
  });

  it('accepts a list, whose items may be lists themselves', () => {
    expect(entriesOf(['Read', 'Bash(git add *)', ' Write '])).toEqual(['Read', 'Bash(git add *)', 'Write']);
    expect(entriesOf(['Read, Write', 'Grep Glob'])).toEqual(['Read', 'Write', 'Grep', 'Glob']);
  });

  it.each([undefined, null, '', '  ', ',', ' , ,\n', [], [''], [null], [' , ']])('finds nothing in %j', (value) => {
    expect(parseToolList(value)).toEqual({ entries: [], problems: [] });
  });

  it('lists each tool once', () => {
    expect(entriesOf('Read, Write, Read, Bash, Bash(*), Bash( * ), Bash(git:*), Bash(git:*)')).toEqual([
      'Read',
      'Write',
      'Bash',
      'Bash(git:*)',
    ]);
  });

  it('reads a tool with the pattern * as the plain tool', () => {
    expect(entriesOf('Bash(*)')).toEqual(['Bash']);
    expect(entriesOf(['WebFetch(*)', 'Bash(**)'])).toEqual(['WebFetch', 'Bash(**)']);
  });

  it('keeps entries as they are written', () => {
    const entries = [
      'Bash(npm run *)',
      'mcp__server__tool',
      'mcp__github__*',
      'WebFetch(domain:example.com)',
      'Read(./src/**)',
      'Bash(echo "a, b")',
      "Bash(git commit -m 'x y')",
      'Bash(echo $(date), (x))',
    ];
    expect(entriesOf(entries.join(', '))).toEqual(entries);
    expect(entriesOf(entries.join(' '))).toEqual(entries);
    expect(entriesOf(entries)).toEqual(entries);
  });

  it('reads a YAML list that was kept as text', () => {
    expect(entriesOf('[Read, Bash(git:*)]')).toEqual(['Read', 'Bash(git:*)']);
    expect(entriesOf('["Read", \'Write\', `Grep`]')).toEqual(['Read', 'Write', 'Grep']);
  });

  it("treats a pattern after a space as part of the tool's entry, not the whole tool", () => {
    expect(entriesOf('Bash (git:*), Read')).toEqual(['Bash(git:*)', 'Read']);
    expect(entriesOf('Read Bash\n(git status) Write')).toEqual(['Read', 'Bash(git status)', 'Write']);
  });

  it('repairs the mapping that YAML makes from a pattern with a colon and a space', () => {
    expect(entriesOf([{ 'Bash(git': 'status)' }, 'Read'])).toEqual(['Bash(git: status)', 'Read']);
  });
});

describe('parseToolList: problems', () => {
  it.each([
    ['Bash(git', 'has parentheses that do not match'],
    ['Bash(git, Read', 'has parentheses that do not match'],
    ['Bash(a)b', 'has parentheses that do not match'],
    ['Bash(a)(b)', 'has parentheses that do not match'],
    ['Bash()', 'is not a tool'],
    ['(git:*)', 'is not a tool'],
    ['Read)', 'is not a tool'],
    ['Re@d', 'is not a tool'],
    ['-', 'is not a tool'],
    ['123', 'is not a tool'],
    ['Wérkzeug', 'is not a tool'],
    ['😀', 'is not a tool'],
    ['a\u0000b', 'is not a tool'],
  ])('keeps %j, which matches nothing, and says what is wrong', (entry, reason) => {
    const { entries, problems } = parseToolList(entry);
    expect(entries).toEqual([entry]);
    expect(problems).toEqual([expect.stringContaining(reason)]);
    expect(parseToolRule(entry)).toBeUndefined();
  });

  it('continues after an entry that it cannot parse', () => {
    const { entries, problems } = parseToolList('Read, Re@d, Write, (x), Grep');
    expect(entries).toEqual(['Read', 'Re@d', 'Write', '(x)', 'Grep']);
    expect(problems).toHaveLength(2);
  });

  it.each([5, true, {}, { Read: true }, { a: 'b' }])('finds no tools in %j', (value) => {
    expect(parseToolList(value)).toEqual({
      entries: [],
      problems: [`${typeof value === 'object' ? 'an object' : String(value)} is not a tool`],
    });
  });

  it('drops list items that are not text', () => {
    expect(parseToolList(['Read', 5, ['Write'], { a: 1 }, { a: 'x', b: 'y' }, true])).toEqual({
      entries: ['Read'],
      problems: [
        '5 is not a tool',
        'an array is not a tool',
        'an object is not a tool',
        'an object is not a tool',
        'true is not a tool',
      ],
    });
  });

  it('limits the reported problems and counts the rest', () => {
    const { entries, problems } = parseToolList(Array.from({ length: 1_000 }, (_, index) => `@${index}`));
    expect(entries).toHaveLength(1_000);
    expect(problems).toHaveLength(21);
    expect(problems[20]).toBe('980 more entries are invalid');
  });
});

describe('parseToolRule', () => {
  it.each([
    ['Read', { tool: 'Read' }],
    [' Read ', { tool: 'Read' }],
    ['*', { tool: '*' }],
    ['mcp__server__tool', { tool: 'mcp__server__tool' }],
    ['mcp__github__*', { tool: 'mcp__github__*' }],
    ['ns:tool/x.y-z', { tool: 'ns:tool/x.y-z' }],
    ['Bash(*)', { tool: 'Bash' }],
    ['Bash(git:*)', { tool: 'Bash', pattern: 'git:*' }],
    ['Bash(npm run *)', { tool: 'Bash', pattern: 'npm run *' }],
    ['Bash( git status )', { tool: 'Bash', pattern: 'git status' }],
    ['WebFetch(domain:example.com)', { tool: 'WebFetch', pattern: 'domain:example.com' }],
    ['Bash(a, b)', { tool: 'Bash', pattern: 'a, b' }],
    ['Bash(echo $(date) (x (y)))', { tool: 'Bash', pattern: 'echo $(date) (x (y))' }],
    ['Bash(echo "it\'s")', { tool: 'Bash', pattern: 'echo "it\'s"' }],
    ['Bash(echo \\(x)', { tool: 'Bash', pattern: 'echo (x' }],
    ['Bash(echo \\))', { tool: 'Bash', pattern: 'echo )' }],
    ['Bash(a\\\\b)', { tool: 'Bash', pattern: 'a\\b' }],
    ['Bash(grep a\\|b)', { tool: 'Bash', pattern: 'grep a\\|b' }],
    ['Bash(echo $1 $&)', { tool: 'Bash', pattern: 'echo $1 $&' }],
    ['Bash(a\nb)', { tool: 'Bash', pattern: 'a\nb' }],
    ['Read(😀/**)', { tool: 'Read', pattern: '😀/**' }],
  ])('reads %j', (entry, rule) => {
    expect(parseToolRule(entry)).toEqual(rule);
  });

  it.each([
    '',
    ' ',
    '()',
    '(a)',
    'Bash(',
    'Bash)',
    'Bash((a)',
    'Bash(a))',
    'Bash(a) x',
    'Bash(a)x',
    'Bash()',
    'Bash( )',
    'Bash(a\\)',
    'Bash (a)',
    'Read Write',
    'Read,Write',
    '.',
    '__',
    'Re"ad',
  ])('refuses %j', (entry) => {
    expect(parseToolRule(entry)).toBeUndefined();
  });
});

describe('tool lists in general', () => {
  const name = fc.stringMatching(/^[A-Za-z][\w.:*/-]{0,8}$/);
  const plain = fc.string({
    unit: fc.constantFrom('a', ' ', ',', '*', ':', '"', "'", '$', '😀', '\\\\', '\\(', '\\)', '/', '-'),
  });
  const pattern = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      plain,
      fc.tuple(plain, tie('node'), plain).map(([before, inner, after]) => `${before}(${inner})${after}`),
    ),
  })).node;
  const entry = fc.oneof(
    name,
    fc
      .tuple(name, pattern)
      .filter(([, inside]) => !['', '*'].includes(inside.trim()))
      .map(([tool, inside]) => `${tool}(${inside})`),
  );

  it('are parsed unchanged after being joined', () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry), fc.constantFrom(', ', ',', ' ', '\n', ' , '), (entries, separator) => {
        expect(parseToolList(entries.join(separator))).toEqual({ entries, problems: [] });
        expect(parseToolList(entries)).toEqual({ entries, problems: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  it('have entries that are parsed unchanged a second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('A', '(', ')', ',', ' ', '*', '\\', '"', '[', ']') }), (text) => {
        const { entries, problems } = parseToolList(text);
        for (const one of entries) expect(problems.length > 0 || parseToolRule(one) !== undefined).toBe(true);
        if (problems.length === 0) expect(parseToolList([...entries]).entries).toEqual(entries);
        if (/A/.test(text)) expect(entries.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['(', ')', '()', 'A ', 'A,', '\\', '"', 'A(', 'A()', '( ', 'A(a) ', '`'])(
    'are read in linear time: a megabyte of %j',
    (unit) => {
      // Quadratic time would take minutes.
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      expect(parseToolList(text).entries).toHaveLength(1);
      expect(parseToolList(`Bash(${text})`).entries).toHaveLength(1);
    },
  );
});
