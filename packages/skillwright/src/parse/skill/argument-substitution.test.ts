import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { substituteArguments, type SkillVariables, type SubstitutionOptions } from './argument-substitution.ts';

type Options = Omit<SubstitutionOptions, 'variables'> & { readonly variables?: Partial<SkillVariables> };

function substitute(content: string, options: Options = {}): string {
  return substituteArguments(content, { ...options, variables: { skillDir: '/skills/demo', ...options.variables } });
}

describe('$ARGUMENTS', () => {
  it('is replaced by the arguments', () => {
    proves('S2.FR-4.2.placeholder');
    expect(substitute('Process $ARGUMENTS now.', { arguments: 'file.pdf' })).toBe('Process file.pdf now.');
  });

  it('is replaced everywhere', () => {
    proves('S2.FR-4.2.all');
    expect(substitute('Run script with $ARGUMENTS and save to $ARGUMENTS.out', { arguments: 'file.pdf' })).toBe(
      'Run script with file.pdf and save to file.pdf.out',
    );
    expect(substitute('$ARGUMENTS$ARGUMENTS\n```\n$ARGUMENTS\n```', { arguments: 'x' })).toBe('xx\n```\nx\n```');
  });

  it.each([undefined, '', ' ', '\t\r\n'])('is replaced by nothing for the arguments %j', (given) => {
    proves('S2.FR-4.2.empty');
    expect(substitute('a $ARGUMENTS b', { arguments: given })).toBe('a  b');
  });

  it.each([
    '$arguments',
    '$Arguments',
    '$ARGUMENT',
    '$ ARGUMENTS',
    'ARGUMENTS',
    '${ARGUMENTS}',
    '$ARGUMENTSX',
    '$ARGUMENTS_X',
    '$ARGUMENTS1',
  ])('is not recognized in %s', (text) => {
    proves('S2.FR-4.2.case');
    expect(substitute(text)).toBe(text);
    expect(substitute(text, { arguments: 'x' })).toBe(`${text}\n\nARGUMENTS: x`);
  });

  it.each(['.out', '/x', '-x', '"', '`', ')', '[x]', '[]', '[-1]', '{', 'を処理', 'é', '😀', '\u0000', '\r\n'])(
    'may be followed by %j',
    (after) => {
      expect(substitute(`<$ARGUMENTS${after}`, { arguments: 'a b' })).toBe(`<a b${after}`);
    },
  );

  it.each([
    '{"json": [1, 2]}',
    '"unclosed',
    "it's",
    '--flag=1 -- $(rm -rf ~)',
    'true',
    '12',
    'null',
    '😀 \u0000',
    'a\r\nb',
    ' padded ',
  ])('inserts any text unchanged: %j', (given) => {
    proves('S2.FR-4.2.strings');
    expect(substitute('[$ARGUMENTS]', { arguments: given })).toBe(`[${given}]`);
  });
});

describe('$ARGUMENTS[N] and $N', () => {
  const given = 'one "two words" three';

  it('insert single arguments, counted from zero, with shell quoting', () => {
    expect(substitute('$ARGUMENTS[0]|$ARGUMENTS[1]|$ARGUMENTS[2]', { arguments: given })).toBe('one|two words|three');
    expect(substitute('$0|$1|$2', { arguments: given, positional: true })).toBe('one|two words|three');
    expect(substitute('$10', { arguments: '0 1 2 3 4 5 6 7 8 9 ten', positional: true })).toBe('ten');
  });

  it('stay unchanged if there is no such argument', () => {
    expect(substitute('$ARGUMENTS[3] $ARGUMENTS[99999999999999999999999]', { arguments: given })).toBe(
      '$ARGUMENTS[3] $ARGUMENTS[99999999999999999999999]',
    );
    expect(substitute('costs $25 or $3, $0', { arguments: given, positional: true })).toBe('costs $25 or $3, one');
    expect(substitute('$ARGUMENTS[0] $0', { positional: true })).toBe('$ARGUMENTS[0] $0');
  });

  it('insert an empty argument for empty quotes', () => {
    expect(substitute('[$0][$1]', { arguments: '"" b', positional: true })).toBe('[][b]');
  });

  it('leave awk variables alone in a skill that declares no arguments', () => {
    const text = "awk '{print $1, $2}' && echo \\$1 $0";
    expect(substitute(text)).toBe(text);
    expect(substitute(text, { arguments: given })).toBe(`${text}\n\nARGUMENTS: ${given}`);
    expect(substitute(`$ARGUMENTS[0] ${text}`, { arguments: given, positional: false })).toBe(`one ${text}`);
  });

  it.each(['$1a', '$1_', '$01', '$00', '$', '$$', '$-1', '$ 1', '$１'])('are not recognized in %j', (text) => {
    expect(substitute(text, { arguments: '', positional: true })).toBe(text);
    expect(substitute(`$ARGUMENTS ${text}`, { arguments: 'a b', positional: true })).toBe(`a b ${text}`);
  });

  it('can stand next to each other and to other text', () => {
    expect(substitute('$0$1 $0.txt "$1" $0を', { arguments: 'a b', positional: true })).toBe('ab a.txt "b" aを');
  });
});

describe('$name', () => {
  it('inserts the argument at the position of the name', () => {
    expect(substitute('Move $from to $to.', { arguments: '"a b" c', names: ['from', 'to'] })).toBe('Move a b to c.');
  });

  it('inserts nothing if the argument is missing', () => {
    expect(substitute('[$from][$to]', { arguments: 'a', names: ['from', 'to'] })).toBe('[a][]');
    expect(substitute('[$from]', { names: ['from'] })).toBe('[]');
  });

  it('must be a whole word', () => {
    expect(substitute('$names $name1 $name_ $Name $name', { arguments: 'x', names: ['name'] })).toBe(
      '$names $name1 $name_ $Name x',
    );
    expect(substitute('$name. $name-x $name/y $nameを', { arguments: 'x', names: ['name'] })).toBe('x. x-x x/y xを');
  });

  it('matches the longest name that fits', () => {
    const names = ['file', 'file-type', 'file-type-2'];
    expect(substitute('$file $file-type $file-type-2 $file-types $file-type-3', { arguments: 'a b c', names })).toBe(
      'a b c a-types b-3',
    );
  });

  it.each(['été', '文件', '_x', 'a1', 'ARGUMENT'])('accepts the name %j', (name) => {
    expect(substitute(`<$${name}>`, { arguments: 'v', names: [name] })).toBe('<v>');
  });

  it('matches only declared names', () => {
    expect(substitute('$HOME $PATH \\$HOME $name', { arguments: 'x', names: ['name'] })).toBe('$HOME $PATH \\$HOME x');
  });

  it('uses the first position of a name that is declared twice', () => {
    expect(substitute('$a', { arguments: '1 2', names: ['a', 'a'] })).toBe('1');
  });

  it.each(['', '.*', 'a b', '(', '$', '\\', '1', '-x', '__proto__', 'constructor'])(
    'is not confused by the name %j',
    (name) => {
      expect(substitute('$ARGUMENTS a $b (', { arguments: 'x', names: [name] })).toBe('x a $b (');
    },
  );

  it('does not change the meaning of $ARGUMENTS', () => {
    expect(substitute('$ARGUMENTS', { arguments: 'a b', names: ['ARGUMENTS'] })).toBe('a b');
  });
});

describe('variables', () => {
  const variables = { skillDir: '/s', pluginRoot: '/p', sessionId: 'id-1', projectDir: '/w' };

  it('are replaced by their values', () => {
    expect(
      substitute('${CLAUDE_SKILL_DIR} {baseDir} ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SESSION_ID} ${CLAUDE_PROJECT_DIR}', {
        variables,
      }),
    ).toBe('/s /s /p id-1 /w');
    expect(substitute('{baseDir}/scripts/{baseDir}', { variables })).toBe('/s/scripts//s');
  });

  it('stay unchanged if they have no value', () => {
    const text =
      '${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SESSION_ID} ${CLAUDE_PROJECT_DIR} \\${CLAUDE_SESSION_ID} ${CLAUDE_OTHER}';
    expect(substitute(text)).toBe(text);
  });

  it.each([
    '$CLAUDE_SKILL_DIR',
    '${CLAUDE_SKILL_DIR',
    '${claude_skill_dir}',
    '${HOME}',
    '{ baseDir }',
    '{basedir}',
    '${baseDir}',
    '{base}',
  ])('are not recognized in %s', (text) => {
    expect(substitute(text)).toBe(text);
  });

  it('can be escaped', () => {
    expect(substitute('\\${CLAUDE_SKILL_DIR} \\{baseDir}')).toBe('${CLAUDE_SKILL_DIR} {baseDir}');
  });

  it('can have any value, even an empty text', () => {
    expect(substitute('[{baseDir}]', { variables: { skillDir: 'C:\\a\\$1$&$$' } })).toBe('[C:\\a\\$1$&$$]');
    expect(substitute('[${CLAUDE_SESSION_ID}]', { variables: { sessionId: '' } })).toBe('[]');
  });

  it('are not placeholders for arguments', () => {
    expect(substitute('{baseDir} ${CLAUDE_SKILL_DIR}', { arguments: 'x' })).toBe(
      '/skills/demo /skills/demo\n\nARGUMENTS: x',
    );
  });
});

describe('escapes', () => {
  const options = { arguments: 'a b', names: ['name'], positional: true };

  it.each([
    ['\\$ARGUMENTS', '$ARGUMENTS'],
    ['$$ARGUMENTS', '$ARGUMENTS'],
    ['\\$ARGUMENTS[0]', '$ARGUMENTS[0]'],
    ['$$ARGUMENTS[0]', '$ARGUMENTS[0]'],
    ['\\$1', '$1'],
    ['\\$25', '$25'],
    ['\\$name', '$name'],
    ['\\$name-x', '$name-x'],
    ['\\\\$ARGUMENTS', '\\$ARGUMENTS'],
    ['$$$ARGUMENTS', '$$ARGUMENTS'],
    ['\\$$ARGUMENTS', '\\$ARGUMENTS'],
  ])('turn %j into the literal %j, which is not a placeholder', (written, literal) => {
    proves('S2.FR-4.2.escape');
    expect(substitute(written, options)).toBe(`${literal}\n\nARGUMENTS: a b`);
    expect(substitute(`${written} $ARGUMENTS`, options)).toBe(`${literal} a b`);
  });

  it.each(['\\$other', '\\$', '$$', '\\n', '\\\\', '$$ARGUMENTSX', '\\$ARGUMENTSX', '$${CLAUDE_OTHER}'])(
    'do not include %j',
    (text) => {
      expect(substitute(text, { names: ['name'], positional: true })).toBe(text);
    },
  );

  it('with a second dollar sign work only for $ARGUMENTS', () => {
    expect(substitute('$$1 $$name', options)).toBe('$b $a');
  });
});

describe('arguments of a skill', () => {
  it('are appended if the text has no placeholder', () => {
    proves('S2.FR-4.2.no-placeholder');
    expect(substitute('Do it.', { arguments: 'file.pdf' })).toBe('Do it.\n\nARGUMENTS: file.pdf');
    expect(substitute('', { arguments: 'x' })).toBe('\n\nARGUMENTS: x');
  });

  it.each([undefined, '', '  \n'])('are not appended when they are %j', (given) => {
    proves('S2.FR-4.2.no-placeholder-empty');
    expect(substitute('Do it.\n', { arguments: given })).toBe('Do it.\n');
  });

  it.each(['$ARGUMENTS', '$ARGUMENTS[0]', '$ARGUMENTS[9]', '$0', '$name', '$missing'])(
    'are not appended if the text has the placeholder %s',
    (place) => {
      expect(substitute(place, { arguments: 'a', names: ['name', 'missing'], positional: true })).not.toContain(
        'ARGUMENTS: ',
      );
    },
  );

  it('are still appended if the text contains a price', () => {
    expect(substitute('It costs $25.', { arguments: 'a', positional: true })).toBe('It costs $25.\n\nARGUMENTS: a');
  });

  it('are still appended if the text contains an undeclared name', () => {
    expect(substitute('$name $0', { arguments: 'a' })).toBe('$name $0\n\nARGUMENTS: a');
  });
});

describe('substitution in general', () => {
  const trap = fc.constantFrom(
    '$ARGUMENTS',
    '$ARGUMENTS[0]',
    '$&',
    '$1',
    '$0',
    '$$',
    '$`',
    "$'",
    '$<name>',
    '{baseDir}',
    '${CLAUDE_SKILL_DIR}',
    '$name',
    '\\$ARGUMENTS',
    '\\',
    '$',
  );

  it('never substitutes in text that it inserted', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(trap, fc.string()), { minLength: 1 }), (parts) => {
        const value = `x${parts.join('')}`;
        expect(substitute('<$ARGUMENTS>', { arguments: value, names: ['name'], positional: true })).toBe(`<${value}>`);
        expect(substitute('<{baseDir}>', { variables: { skillDir: value } })).toBe(`<${value}>`);
        const quoted = `'${value.replaceAll("'", `'\\''`)}'`;
        for (const place of ['$ARGUMENTS[0]', '$0', '$name']) {
          expect(substitute(`<${place}>`, { arguments: quoted, names: ['name'], positional: true })).toBe(`<${value}>`);
        }
        expect(substitute('text', { arguments: value, names: ['name'], positional: true })).toBe(
          `text\n\nARGUMENTS: ${value}`,
        );
      }),
    );
  });

  it('never creates a placeholder from two adjacent insertions', () => {
    expect(substitute('$ARGUMENTS[0]', { arguments: '$ARGUMENTS' })).toBe('$ARGUMENTS');
    expect(substitute('$$0', { arguments: 'ARGUMENTS', positional: true })).toBe('$ARGUMENTS');
    expect(substitute('{base$0', { arguments: 'Dir}', positional: true })).toBe('{baseDir}');
    expect(substitute('\\$ARGUMENTS$ARGUMENTS', { arguments: '[0]' })).toBe('$ARGUMENTS[0]');
  });

  it('does not change text without $, { or \\', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, positional) => {
        const plain = text.replaceAll(/[$\\{]/g, '');
        expect(substitute(plain, { positional, names: ['a'] })).toBe(plain);
        expect(substitute(plain, { arguments: 'x', positional })).toBe(`${plain}\n\nARGUMENTS: x`);
      }),
    );
  });

  it('agrees with a plain replacement if only $ARGUMENTS occurs', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('$ARGUMENTS', ' ', 'text', '.', '\n', 'é'), { minLength: 1 }),
        fc.string(),
        (parts, given) => {
          const content = parts.join(' ');
          const value = given.trim() === '' ? '' : given;
          const expected = content.split('$ARGUMENTS').join(value);
          const appended = value !== '' && !parts.includes('$ARGUMENTS') ? `\n\nARGUMENTS: ${value}` : '';
          expect(substitute(content, { arguments: given })).toBe(expected + appended);
        },
      ),
    );
  });

  it('limits how much a small text can grow', () => {
    const given = 'x'.repeat(100_000);
    const text = substitute('$ARGUMENTS '.repeat(50_000), { arguments: given });
    expect(text.length).toBeLessThan(10_000_000);
    expect(text.startsWith(`${given} ${given} `)).toBe(true);
    expect(text.endsWith('$ARGUMENTS $ARGUMENTS ')).toBe(true);
    const huge = 'x'.repeat(9_000_000);
    expect(substitute('$ARGUMENTS', { arguments: huge })).toBe(huge);
    expect(substitute('{baseDir} $ARGUMENTS', { arguments: huge })).toBe(
      `/skills/demo $ARGUMENTS\n\nARGUMENTS: ${huge}`,
    );
  });

  it.each([
    '$',
    '\\',
    '{',
    '$ARGUMENTS',
    '$1',
    '$a',
    '$a-',
    'a',
    '\\$ARGUMENTS',
    '$$',
    '{baseDir',
    '${CLAUDE_',
    '$ARGUMENTS[1',
    '$1a',
    '${CLAUDE_SKILL_DIR}',
    'é',
    '😀',
  ])('takes linear time on a megabyte of %j', (unit) => {
    const content = unit.repeat(Math.ceil(1_000_000 / unit.length));
    // Quadratic time would take minutes.
    const texts = [
      substitute(content, { arguments: 'x', names: ['a', 'a-a', 'a-a-a', 'a'.repeat(500)], positional: true }),
      substitute(`$${content}`, { arguments: content, names: ['a'] }),
      substitute(`$1${'1'.repeat(100_000)}x $a${'-a'.repeat(100_000)}`, { names: ['a'], positional: true }),
    ];
    expect(texts.map((text) => typeof text)).toEqual(['string', 'string', 'string']);
  });
});
