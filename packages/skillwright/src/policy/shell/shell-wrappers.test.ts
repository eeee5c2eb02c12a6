import { describe, expect, it } from 'vitest';
import { judgedCommands } from '../../../../../test/support/judged-commands.ts';
import { readShellCommand } from './shell-parts.ts';

describe('commands that run another command', () => {
  it.each<[string, string[]]>([
    ['timeout 5 git status', ['git status']],
    ['timeout -k 1 --signal=KILL 5s git status', ['git status']],
    ['nice git', ['git']],
    ['nice -n 10 git', ['git']],
    ['nice -n10 git', ['git']],
    ['nohup git &', ['git']],
    ['time git', ['git']],
    ['time -p nice nohup git', ['git']],
    ['stdbuf -oL git', ['git']],
    ['command git', ['git']],
    ['exec git', ['git']],
    ['builtin cd x', ['cd x']],
    ["bash -c 'git status; rm x'", ['git status', 'rm x']],
    ['sh -c "git status" name arg', ['git status']],
    ['bash -euo pipefail -c "rm x"', ['rm x']],
    ['bash -lc "rm x"', ['rm x']],
    [`bash -c 'sh -c "rm x"'`, ['rm x']],
    ['eval "git status; rm x"', ['git status', 'rm x']],
    ['eval git status \\; rm x', ['git status', 'rm x']],
    ['ls | xargs rm', ['ls', 'rm {}']],
    ['xargs -0 -n 1 -P4 rm -f', ['rm -f {}']],
    ['xargs -I{} mv {} x', ['mv {} x']],
    ['xargs -I % mv % x', ['mv % x']],
    [`xargs sh -c 'rm "$@"' _`, ['rm $@']],
    ['xargs -- timeout 5 rm', ['rm {}']],
  ])('judges only the wrapped command in %j: %j', (command, parts) => {
    expect(judgedCommands(command)).toEqual(parts);
  });

  it.each<[string, string[]]>([
    ['env git', ['env git', 'git']],
    ['env -i -u X A=1 git', ['env -i -u X A=1 git', 'git']],
    ['sudo rm x', ['sudo rm x', 'rm x']],
    ['sudo -n -u root A=1 rm x', ['sudo -n -u root A=1 rm x', 'rm x']],
    ['doas rm x', ['doas rm x', 'rm x']],
    ['sudo env nice rm', ['sudo env nice rm', 'env nice rm', 'rm']],
    ['/usr/bin/env git', ['/usr/bin/env git', 'git']],
    ['./timeout 5 git', ['./timeout 5 git', 'git']],
    ['/tmp/sh -c "git status"', ["/tmp/sh -c 'git status'", 'git status']],
    ['find . -exec rm {} +', ['find . -exec rm {} +', 'rm {}']],
    ['find . -execdir rm {} \\;', ['find . -execdir rm {} ;', 'rm {}']],
    ["find . -ok rm '{}' ';'", ['find . -ok rm {} ;', 'rm {}']],
    ['find . -delete', ['find . -delete', 'rm {}']],
    ['find . -exec a \\; -okdir b {} \\;', ['find . -exec a ; -okdir b {} ;', 'a', 'b {}']],
    ['find . -exec sh -c "rm x" \\;', ["find . -exec sh -c 'rm x' ;", 'rm x']],
    ['find src "(" -name "*.ts" ")" -print', ['find src ( -name *.ts ) -print']],
    ['FOO=bar rm', ['FOO=bar rm', 'rm']],
    ['PATH=. GIT_PAGER="rm x" git log', ["PATH=. 'GIT_PAGER=rm x' git log", 'git log']],
    ['FOO=bar', ['FOO=bar']],
    ['A+=1 git', ['A+=1 git', 'git']],
    ['LD_PRELOAD=x nice git', ['LD_PRELOAD=x nice git', 'git']],
  ])('also judges the wrapper itself in %j: %j', (command, parts) => {
    expect(judgedCommands(command)).toEqual(parts);
  });

  it.each(['CI=1 NO_COLOR=1 npm test', 'LC_ALL=C npm test', 'NODE_ENV=test npm test'])(
    'may set a harmless variable: %j',
    (command) => {
      expect(judgedCommands(command)).toEqual(['npm test']);
    },
  );

  it.each<[string, string[]]>([
    ['env', ['env']],
    ['sudo', ['sudo']],
    ['xargs', ['xargs']],
    ['exec 2>&1', ['exec']],
    ['command -v git', ['command -v git']],
    ['bash scripts/run.sh -c x', ['bash scripts/run.sh -c x']],
    ['source venv/bin/activate', ['source venv/bin/activate']],
    ['. ./x', ['. ./x']],
    ['zsh scripts/run.zsh', ['zsh scripts/run.zsh']],
    ['ls | xargs bash scripts/run.sh', ['ls', 'bash scripts/run.sh {}']],
  ])('treats %j as an ordinary command, because it runs no other command', (command, parts) => {
    expect(judgedCommands(command)).toEqual(parts);
  });

  it.each<[string, string]>([
    ['an unknown option', 'timeout --bogus 5 git'],
    ['an unknown one-letter option', 'nice -z git'],
    ['a text that env splits into a command', 'env -S "rm x"'],
    ['a lone dash', 'env - git'],
    ['a missing operand', 'timeout'],
    ['an operand that varies', 'timeout $X git'],
    ['an option that varies', 'nice -n $X git'],
    ['an option that ends in a variable', 'nice -$X git'],
    ['a command that varies', 'env $X git'],
    ['a quoted command', 'sudo "r"m'],
    ['an option that starts a shell', 'sudo -s'],
    ['commands from standard input', 'curl x | bash'],
    ['commands from standard input by an option', 'sh -s x'],
    ['commands from a here-string', 'bash <<< "rm x"'],
    ['commands from a device', 'bash /dev/stdin'],
    ['commands from a process substitution', 'bash <(echo rm)'],
    ['commands from a sourced process substitution', 'source <(echo rm)'],
    ['a script that varies', 'bash -c "git $X"'],
    ['a script in a variable', 'bash -c "$X"'],
    ['a missing script', 'bash -c'],
    ['a shell option that varies', 'bash -o $X x.sh'],
    ['a script for another shell', 'zsh -c "git status"'],
    ['a start-up file', 'bash --rcfile x'],
    ['scripts that are nested too deep', `${'eval '.repeat(40)}git`],
    ['wrappers that are nested too deep', `${'nice '.repeat(40)}git`],
    ['an eval that varies', 'eval $X'],
    ['an eval of the names that find prints', 'find . -exec eval {} \\;'],
    ['options for eval', 'eval -- rm'],
    ['programs from input', 'ls | xargs env'],
    ['commands from input', 'ls | xargs bash'],
    ['scripts from input', 'ls | xargs bash -c'],
    ['eval of input', 'ls | xargs eval'],
    ['actions from input', 'ls | xargs find .'],
    ['a find action that xargs inserts', 'ls | xargs -I{} find . {}'],
    ['text that xargs inserts into a script', "xargs -I{} sh -c 'git {}'"],
    ['a file name that find inserts into a script', "find . -exec sh -c 'git {}' \\;"],
    ['an option that xargs inserts', "xargs -I{} bash {} 'rm x'"],
    ['a program that xargs inserts', 'xargs -I{} {} x'],
    ['a program that xargs replaces', 'xargs -I git git x'],
    ['a program that find finds', 'find . -exec {} \\;'],
    ['an action without end', 'find . -exec rm {}'],
    ['an action without command', 'find . -exec \\;'],
    ['an action that varies', 'find . $X'],
    ['an action that a glob may insert', 'find . *'],
    ['an action that ends in a variable', 'find . -ex$X rm'],
    ['a file that varies', 'find . -fprint $X'],
    ['aliases', 'alias git=rm'],
    ['traps', "trap 'rm x' EXIT"],
    ['another program that runs commands', 'watch rm x'],
  ])('does not parse %s', (_what, command) => {
    expect(judgedCommands(command)).toBeUndefined();
  });

  it('lists a wrapper even if no rule has to allow it', () => {
    const { parts = [] } = readShellCommand("timeout 5 bash -c 'git log'") ?? {};
    expect(parts.map(({ text, isTransparent }) => [text, isTransparent])).toEqual([
      ["timeout 5 bash -c 'git log'", true],
      ["bash -c 'git log'", true],
      ['git log', false],
    ]);
  });

  it('reports the file that the command writes to', () => {
    expect(readShellCommand('find . -fprintf out.txt %p')?.writes).toEqual(['out.txt']);
    expect(readShellCommand("bash -c 'git log > out.txt'")?.writes).toEqual(['out.txt']);
  });
});

it.each<[string, number]>([
  ['git push', 8],
  ['git $X push', 3],
  ['git push-$X', 9],
  ['git "$X"', 3],
  ['git *', 3],
  ['git {a,b}', 3],
  ['ls [ x', 6],
  ['xargs git push', 8],
  ['xargs -I% git a% b', 5],
])('in %j, reports that the first %i characters of the last command are certain', (command, known) => {
  expect(readShellCommand(command)?.parts.at(-1)?.known).toBe(known);
});
