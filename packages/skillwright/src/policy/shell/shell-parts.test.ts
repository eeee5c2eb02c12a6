import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgedCommands } from '../../../../../test/support/judged-commands.ts';
import { readShellCommand } from './shell-parts.ts';

describe('a command line', () => {
  it.each<[string, string[]]>([
    ['git status', ['git status']],
    ['  git \t status  ', ['git status']],
    ['', []],
    [' \n\t\n', []],
    ['# nothing to do', []],
    ['a && b || c; d | e |& f & g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['a&&b||c;d|e|&f&g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['a &', ['a']],
    ['a;', ['a']],
    ['a\nb\n\nc', ['a', 'b', 'c']],
    ['a &&\n\n  b |\n c', ['a', 'b', 'c']],
    ['a \\\n  b', ['a b']],
    ['! grep x', ['grep x']],
    ['! ! a | b', ['a', 'b']],
    ['(cd src && ls)', ['cd src', 'ls']],
    ['( a; (b) ) && c', ['a', 'b', 'c']],
    ['{ a; b; }', ['a', 'b']],
    ['{ a; { b; }\n} | c', ['a', 'b', 'c']],
    ['git $(rm)', ['rm', 'git $(rm)']],
    ['git $(rm x)', ['rm x', "git '$(rm x)'"]],
    ['git "$(rm x)"', ['rm x', "git '$(rm x)'"]],
    ['git `rm x`', ['rm x', "git '`rm x`'"]],
    ['git "a`rm`b"', ['rm', 'git a`rm`b']],
    ['echo `a \\`b\\``', ['b', 'a `b`', "echo '`a \\`b\\``'"]],
    ['a $(b $(c;d))', ['c', 'd', 'b $(c;d)', "a '$(b $(c;d))'"]],
    ['diff <(a x) <(b) >(c)', ['a x', 'b', 'c', "diff '<(a x)' <(b) >(c)"]],
    ['a --file=<(b)', ['b', 'a --file=<(b)']],
    ['a $(b x#y)', ['b x#y', "a '$(b x#y)'"]],
    ['a $(b # ) c\n)', ['b', "a '$(b # ) c\n)'"]],
    ['a # b; c', ['a']],
    ['a;# b\nc', ['a', 'c']],
    ['a b#c', ['a b#c']],
    ['[ -f x ]', ['[ -f x ]']],
    ['~/bin/run ./x ../y', ['~/bin/run ./x ../y']],
  ])('splits %j into the commands %j', (command, parts) => {
    expect(judgedCommands(command)).toEqual(parts);
  });

  it.each<[string, string]>([
    ['echo "a b" c', "echo 'a b' c"],
    ["echo 'a b'", "echo 'a b'"],
    ['echo a\\ b', "echo 'a b'"],
    ['echo ""', "echo ''"],
    ["echo 'it'\\''s'", String.raw`echo 'it'\''s'`],
    ['git pu"s"h --for\\ce', 'git push --force'],
    ['git "push" \'origin\'', 'git push origin'],
    ['echo "\\$5 \\x"', String.raw`echo '$5 \x'`],
    ['echo "a;b" \'c&&d\' e\\|f', 'echo a;b c&&d e|f'],
    ['ls *.ts src/{a,b} $HOME ${X} "$@"', 'ls *.ts src/{a,b} $HOME ${X} $@'],
    ['echo "cost: 5$" $', "echo 'cost: 5$' $"],
  ])('normalizes %j to %j', (command, text) => {
    expect(judgedCommands(command)).toEqual([text]);
  });

  it.each([
    'a > /dev/null',
    'a 2>/dev/null',
    'a &>/dev/null',
    'a &>/dev/null 2>&1',
    'a >/dev/null 2>&1',
    '2>&1 a',
    'a >&2',
    'a 3>&-',
    'a < in.txt',
    'a <<< "text; rm x"',
    'a >/dev/stderr < /dev/null',
  ])('removes harmless redirections from %j', (command) => {
    expect(judgedCommands(command)).toEqual(['a']);
  });

  it.each(['>', '>>', '>|', '&>', '&>>', '>&', '<>', '2>', '1>>'])(
    'reports a file that is written with %j',
    (operator) => {
      expect(judgedCommands(`git log ${operator} /etc/passwd`)).toBeUndefined();
      expect(judgedCommands(`git log${operator}"my file"`)).toBeUndefined();
      expect(judgedCommands(`(git log) ${operator} x`)).toBeUndefined();
      expect(readShellCommand(`git log ${operator} x`)?.writes).toEqual(['x']);
    },
  );

  it.each<[string, string]>([
    ['a quoted program', '"r"m x'],
    ['a program in single quotes', "'rm' x"],
    ['an escaped program', 'r\\m x'],
    ['a program on two lines', 'r\\\nm x'],
    ['ANSI-C quoting', "$'\\x72m' x"],
    ['ANSI-C quoting of an argument', "git $'\\x72m'"],
    ['translated text', 'git $"x"'],
    ['a variable as program', '$X y'],
    ['a braced variable as program', '${X} y'],
    ['a substitution as program', '$(echo rm) x'],
    ['backticks as program', '`echo rm` x'],
    ['a glob as program', '/bin/r? x'],
    ['braces as program', '{rm,-rf,x}'],
    ['an operator inside an expansion', 'git ${X:-$(rm)}'],
    ['a prompt expansion', 'git ${X@P}'],
    ['arithmetic', 'git $((1))'],
    ['old arithmetic', 'git $[1]'],
    ['an arithmetic command', '((x=1))'],
    ['a conditional', '[[ -f x ]] && a'],
    ['if', 'if a; then b; fi'],
    ['for', 'for x in a b; do rm $x; done'],
    ['while', 'while a; do b; done'],
    ['until', 'until a; do b; done'],
    ['case', 'case x in x) rm;; esac'],
    ['a function', 'git() { rm; }; git'],
    ['a named function', 'function git { rm; }'],
    ['an array', 'x=(a b)'],
    ['an extended pattern', 'ls !(x)'],
    ['a here-document', 'sh <<EOF\nrm x\nEOF'],
    ['an indented here-document', 'cat <<-EOF\n\tx\n\tEOF'],
    ['a network connection', 'cat < /dev/tcp/host/80'],
    ['a target that varies', 'a > $X'],
    ['a source that varies', 'a < "$X"'],
    ['a single quote left open', "git 'status"],
    ['a double quote left open', 'git "status'],
    ['a backtick left open', 'git `rm'],
    ['an escaped closing backtick', 'git `rm\\`'],
    ['a substitution left open', 'git $(rm'],
    ['a group left open', '(git'],
    ['braces left open', '{ git; '],
    ['a closing parenthesis too many', 'git )'],
    ['a brace too many', 'git; }'],
    ['a trailing backslash', 'git \\'],
    ['an operator at the end', 'git &&'],
    ['a pipe at the end', 'git |'],
    ['an operator at the start', '&& git'],
    ['two operators', 'git ;; rm'],
    ['a command after a group', '(a) b'],
    ['a redirection to nowhere', 'git >'],
    ['what other shells see two commands in', 'git &>/dev/null 2>&1 rm'],
    ['a NUL', 'git \0 rm'],
    ['a carriage return', 'git status\r\nrm'],
    ['an escape sequence', 'git \u001B[2K'],
    ['a no-break space', 'git\u00A0status'],
    ['a line separator', 'git \u2028rm'],
    ['a zero-width space', 'git sta\u200Btus'],
    ['text turned around', 'git \u202Emr'],
    ['more than a shell takes', `git ${'x'.repeat(1_000_000)}`],
    ['substitutions too deep', `${'$('.repeat(100)}a${')'.repeat(100)}`],
    ['groups too deep', `${'( '.repeat(100)}a${')'.repeat(100)}`],
  ])('does not parse %s', (_what, command) => {
    expect(judgedCommands(command)).toBeUndefined();
    expect(judgedCommands(`ls && ${command}`)).toBeUndefined();
  });
});

describe('parsing any command', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9=./-]{0,8}$/);
  const program = fc.stringMatching(/^x[a-z0-9-]{0,8}$/);
  const simple = fc.tuple(program, fc.array(word, { maxLength: 3 })).map(([name, words]) => [name, ...words].join(' '));
  const operator = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' |& ', ' & ', '\n', '&&', ';', ' \\\n| ', ' # c\n');

  it('returns the simple commands that operators join', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(simple, operator), { minLength: 1 }), simple, (parts, last) => {
        const command = parts.map(([text, between]) => text + between).join('') + last;
        expect(judgedCommands(command)).toEqual([...parts.map(([text]) => text), last]);
      }),
    );
  });

  it('returns the same parts if the command is in a group or a substitution', () => {
    const wrap = fc.constantFrom(['(', ')'], ['{ ', '; }'], ['x "$(', ')"'], ['x `', '`'], ['x <(', ')']);
    fc.assert(
      fc.property(fc.array(simple, { minLength: 1 }), wrap, (parts, [open = '', close = '']) => {
        expect(judgedCommands(open + parts.join('; ') + close)?.slice(0, parts.length)).toEqual(parts);
      }),
    );
  });

  it('never throws', () => {
    const unit = fc.constantFrom(...`ab '"\\\`$(){}[]<>|&;!#*?~=\n\t,%+-_:./@`.split(''), 'sh -c ', 'find ', 'xargs ');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit, maxLength: 40 }));
    fc.assert(
      fc.property(text, (command) => {
        const { parts = [] } = readShellCommand(command) ?? {};
        for (const part of parts) expect(part.known).toBeLessThanOrEqual(part.text.length);
      }),
      { numRuns: 3_000 },
    );
  });
});

const UNITS = ['a ', 'a;', '"', "'", '\\', '\\\n', '`', '$(', '( ', '{ ', '! ', '>x ', '*', '# ', '1', 'a=1 ', 'env '];
const MORE = ['$x', '"$x"', "''", '{}', 'a\n', '\\a', '-exec a \\; ', '<<<', '&', 'nice ', '"`a`"'];

const PIECES = 32;

it.each([...UNITS, ...MORE])(
  'reads repeated %j in linear time, up to the longest command that a shell accepts',
  (unit) => {
    const piece = unit.repeat(131_000 / unit.length / PIECES);
    const read = (text: string): void => {
      readShellCommand(text);
      readShellCommand(`find ${text}`);
    };
    const whole = (): void => read(piece.repeat(PIECES));
    const pieces = (): void => {
      for (let index = 0; index < PIECES; index += 1) read(piece);
    };
    // In quadratic time, the whole would cost 32 times as much as its pieces. The garbage collector may run during one
    // measurement.
    const measurements = Array.from({ length: 5 }, () => () => cpuTimeOf(whole) < 8 * cpuTimeOf(pieces));
    expect(measurements.some((isLinear) => isLinear())).toBe(true);
  },
);

/** User and system time together: the kernel only estimates how the exact total divides into the two. */
function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
