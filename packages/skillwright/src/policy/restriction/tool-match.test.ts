import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowsTool, toToolRules, type ToolInput } from './tool-match.ts';

/** Whether a skill's tool lists allow a call. */
function allows(
  allowed: readonly string[] | undefined,
  tool: string,
  input?: ToolInput,
  disallowed: string[] = [],
): boolean {
  const rules = { allowed: allowed && toToolRules(allowed), disallowed: toToolRules(disallowed) };
  return allowsTool(rules, tool, input);
}

const bash = (command: unknown): ToolInput => ({ command });

describe('a rule without a pattern', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['Read', ['Read', 'file_read'], ['read', 'Reader', 'Write', 'file_write', '']],
    ['Bash', ['Bash', 'execute_command'], ['bash', 'BashOutput']],
    ['Bash(*)', ['Bash', 'execute_command'], ['Read']],
    ['Write', ['Write', 'file_write'], ['Edit']],
    ['Edit', ['Edit', 'file_write'], ['Write']],
    ['file_write', ['Write', 'Edit', 'file_write'], ['Read']],
    ['http_request', ['WebFetch', 'http_request'], ['WebSearch']],
    ['web_search', ['WebSearch', 'web_search'], ['WebFetch']],
    ['mcp__github__search', ['mcp__github__search'], ['mcp__github__delete', 'mcp__github']],
    ['mcp__github__*', ['mcp__github__search', 'mcp__github__delete'], ['mcp__gitlab__x', 'Bash']],
    ['*', ['Bash', 'Read', 'anything'], []],
    ['Bash(git', [], ['Bash', 'Bash(git']],
    ['constructor', ['constructor'], ['toString', '__proto__']],
  ])('%j allows only the tools that it names', (rule, allowed, refused) => {
    expect(allowed.filter((tool) => !allows([rule], tool, bash('rm -rf / > x')))).toEqual([]);
    expect(refused.filter((tool) => allows([rule], tool, bash('ls')))).toEqual([]);
  });
});

describe('a rule for commands', () => {
  const GIT = ['Bash(git:*)'];

  it.each(['git', 'git status', 'git log | git shortlog', 'git status && git diff; git log', 'git log 2>/dev/null'])(
    'allows running %j',
    (command) => {
      expect(allows(GIT, 'Bash', bash(command))).toBe(true);
      expect(allows(GIT, 'execute_command', bash(command))).toBe(true);
    },
  );

  it.each([
    'rm',
    'gitk',
    'git status; rm -rf x',
    'git status\nrm',
    'git status & rm',
    'git status | tee x',
    'git $(rm)',
    'git `rm`',
    'git "`rm`"',
    'git <(rm)',
    'FOO=bar git status',
    'PATH=. git status',
    'env rm',
    'env git status',
    'xargs rm',
    'find . -exec rm {} +',
    "bash -c 'rm'",
    '"r"m',
    'r\\m',
    "$'\\x72m'",
    '${x}',
    'git log > /etc/passwd',
    'git log >> notes.txt',
    'git\u00A0status',
    'git \0',
    'git "status',
    '',
    ' ',
    '# git status',
  ])('does not allow running %j', (command) => {
    expect(allows(GIT, 'Bash', bash(command))).toBe(false);
  });

  it.each([undefined, {}, { command: 1 }, { command: ['git'] }, { cmd: 'git' }, { command: null }])(
    'allows no call with the input %j',
    (input) => {
      expect(allows(GIT, 'Bash', input)).toBe(false);
    },
  );

  it("compares text only: it does not know what a program's options do", () => {
    expect(allows(GIT, 'Bash', bash('git -c core.pager="rm x" log'))).toBe(true);
  });

  it('may allow one part of a command while other rules allow the rest', () => {
    const command = bash('cd src && npm test | head -5');
    expect(allows(['Bash(cd:*)', 'Bash(npm test)', 'Bash(head:*)'], 'Bash', command)).toBe(true);
    expect(allows(['Bash(cd:*)', 'Bash(npm test)'], 'Bash', command)).toBe(false);
  });

  it('needs Write as well if output is redirected to a file', () => {
    const command = bash('git log > notes.txt');
    expect(allows([...GIT, 'Write'], 'Bash', command)).toBe(true);
    expect(allows([...GIT, 'file_write'], 'Bash', command)).toBe(true);
    expect(allows([...GIT, 'Write(notes.txt)'], 'Bash', command)).toBe(false);
    expect(allows([...GIT, 'Edit'], 'Bash', command)).toBe(false);
    expect(allows([...GIT, 'Write'], 'Bash', command, ['Write'])).toBe(false);
    expect(allows(['Write'], 'Bash', command)).toBe(false);
  });

  it('reads separate arguments as words', () => {
    expect(allows(GIT, 'execute_command', { command: 'git', args: ['log', '; rm x', "it's"] })).toBe(true);
    expect(allows(['Bash(git log)'], 'execute_command', { command: 'git', args: ['log'] })).toBe(true);
    expect(allows(['Bash(git log)'], 'execute_command', { command: 'git', args: ['log', 'x'] })).toBe(false);
    expect(allows(GIT, 'execute_command', { command: 'bash', args: ['-c', 'rm x'] })).toBe(false);
    expect(allows(GIT, 'execute_command', { command: 'git', args: 'log' })).toBe(false);
    expect(allows(GIT, 'execute_command', { command: 'git', args: [1] })).toBe(false);
  });

  it('never allows a command with a part that it does not allow', () => {
    const part = fc.constantFrom('git status', 'git "log"', '(git diff)', 'nice git x', 'git $(git x)', 'rm x', '"rm"');
    const operator = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n', ' |& ');
    fc.assert(
      fc.property(part, fc.array(fc.tuple(operator, part)), (first, more) => {
        const parts = [first, ...more.map(([, text]) => text)];
        const expected = parts.every((text) => !text.includes('rm'));
        expect(allows(GIT, 'Bash', bash(first + more.map((item) => item.join('')).join('')))).toBe(expected);
      }),
    );
  });
});

describe('a rule for paths or addresses', () => {
  it.each<[string, string, ToolInput | undefined, boolean]>([
    ['Read(src/*)', 'Read', { file_path: 'src/a.ts' }, true],
    ['Read(src/*)', 'file_read', { path: 'src/a.ts' }, true],
    ['Read(src/*)', 'Read', { path: 'src/../etc' }, false],
    ['Read(src/*)', 'Read', { path: 'src/a', file_path: '/etc/passwd' }, false],
    ['Read(src/*)', 'Read', { path: 1 }, false],
    ['Read(src/*)', 'Read', {}, false],
    ['Read(src/*)', 'Read', undefined, false],
    ['Edit(*.md)', 'file_write', { path: 'a.md' }, true],
    ['Grep(src/*)', 'Grep', { pattern: 'x', path: 'src/a' }, true],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com/x' }, true],
    ['WebFetch(domain:example.com)', 'http_request', { url: 'https://example.com/x' }, true],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://api.example.com' }, false],
    ['WebFetch(domain:*.example.com)', 'WebFetch', { url: 'https://api.example.com' }, true],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com@evil.org' }, false],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: new URL('https://example.com') }, false],
    ['WebFetch(domain:example.com)', 'WebFetch', {}, false],
    ['WebSearch(cats)', 'WebSearch', { query: 'cats' }, false],
  ])('%j lets %s be called with %j: %s', (rule, tool, input, isAllowed) => {
    expect(allows([rule], tool, input)).toBe(isAllowed);
  });
});

describe('disallowed tools', () => {
  it.each<[string, string, ToolInput | undefined, boolean]>([
    ['Bash', 'Bash', bash('ls'), false],
    ['Bash', 'execute_command', bash('ls'), false],
    ['Write', 'file_write', {}, false],
    ['mcp__*', 'mcp__x__y', {}, false],
    ['Bash(rm:*)', 'Read', {}, true],
    ['Bash(rm:*)', 'Bash', bash('ls && git status > x'), true],
    ['Bash(rm:*)', 'Bash', bash('[ -f x ] && ls $X *'), true],
    ['Bash(rm:*)', 'Bash', bash('ls; rm x'), false],
    ['Bash(rm:*)', 'Bash', bash('FOO=bar rm x'), false],
    ['Bash(rm:*)', 'Bash', bash('timeout 5 rm x'), false],
    ['Bash(rm:*)', 'Bash', bash('find . -delete'), false],
    ['Bash(rm:*)', 'Bash', bash('for x in a; do ls; done'), false],
    ['Bash(rm:*)', 'Bash', bash('"rm" x'), false],
    ['Bash(rm:*)', 'Bash', undefined, false],
    ['Bash(bash:*)', 'Bash', bash("bash -c 'ls'"), false],
    ['Bash(timeout:*)', 'Bash', bash('timeout 5 ls'), false],
    ['Bash(git push:*)', 'Bash', bash('git "push" x'), false],
    ['Bash(git push:*)', 'Bash', bash('git $X'), false],
    ['Bash(git push)', 'Bash', bash('git push $X'), false],
    ['Bash(git push:*)', 'Bash', bash('git pus?'), false],
    ['Bash(git push:*)', 'Bash', bash('ls | xargs git'), false],
    ['Bash(git push:*)', 'Bash', bash('git log $X'), true],
    ['Read(secrets/*)', 'Read', { path: 'a' }, true],
    ['Read(secrets/*)', 'Read', { path: './x/../secrets/a' }, false],
    ['Read(secrets/*)', 'Read', { path: 'a', file_path: 'secrets/a' }, false],
    ['Read(secrets/*)', 'Read', {}, false],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: 'https://example.com' }, true],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: 'https://evil.org' }, false],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: ' https://evil.org' }, false],
  ])(
    'are refused when the rule %j matches, or may match: %s with the input %j is allowed: %s',
    (rule, tool, input, isAllowed) => {
      expect(allows(undefined, tool, input, [rule])).toBe(isAllowed);
      expect(allows(['*'], tool, input, [rule])).toBe(isAllowed);
    },
  );
});
