import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertUntracked } from '../../../packages/gateway/src/store/tracked-directory.ts';
import { makeDirectory } from '../../e2e/cli/cli-runner.ts';

/** Runs git without this machine's configuration. */
function git(cwd: string, ...words: readonly string[]): void {
  const settings = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'protocol.file.allow=always'];
  execFileSync('git', ['-C', cwd, ...settings, ...words], { stdio: 'ignore' });
}

/** Makes a repository that contains a data directory. */
function makeRepository(files: Record<string, string> = { '.skillwright/gateway.db': 'planted' }): string {
  const cwd = makeDirectory(files);
  git(cwd, 'init');
  git(cwd, 'add', '--force', '.');
  git(cwd, 'commit', '--message', 'all');
  return cwd;
}

/** Runs the check for the data directory in the repository, and for one that does not exist yet. */
async function answersOf(cwd: string): Promise<readonly [existing: string | undefined, fresh: string | undefined]> {
  const answer = (name: string): Promise<string | undefined> =>
    assertUntracked(join(cwd, name)).then(
      () => undefined,
      ({ message }: Error) => message,
    );
  return [await answer('.skillwright'), await answer('fresh')];
}

const UNKNOWN = expect.stringMatching(
  /^Git cannot say whether it tracks .* Use another directory with --data, or repair/,
) as string;

describe('a data directory from a repository that git cannot read', () => {
  it.each<[string, (main: string) => string]>([
    [
      'a worktree, because of an extension',
      (main) => {
        git(main, 'worktree', 'add', '--detach', join(main, '../tree'));
        git(main, 'config', 'core.repositoryFormatVersion', '1');
        appendFileSync(join(main, '.git/config'), '[extensions]\n\tofTheFuture = true\n');
        return join(main, '../tree');
      },
    ],
    [
      'a submodule, because its index is damaged',
      (main) => {
        const outer = makeRepository({ 'README.md': '' });
        git(outer, 'submodule', 'add', main, 'inner');
        writeFileSync(join(outer, '.git/modules/inner/index'), 'damaged');
        return join(outer, 'inner');
      },
    ],
    [
      'a directory whose repository lies elsewhere and has no HEAD',
      (main) => {
        renameSync(join(main, '.git'), join(main, 'elsewhere'));
        rmSync(join(main, 'elsewhere/HEAD'));
        writeFileSync(join(main, '.git'), 'gitdir: elsewhere\n');
        return main;
      },
    ],
    [
      'a directory whose repository is a link that leads nowhere',
      (main) => {
        rmSync(join(main, '.git'), { recursive: true });
        symlinkSync('/nonexistent', join(main, '.git'));
        return main;
      },
    ],
  ])('is refused in %s, but a new one is not', async (_what, prepare) => {
    const outer = makeDirectory({});
    const main = join(outer, 'main');
    renameSync(makeRepository(), main);
    expect(await answersOf(prepare(main))).toEqual([UNKNOWN, undefined]);
  });
});

describe('a data directory in a partial clone whose configuration names a program to fetch with', () => {
  it('is checked without running the program', async () => {
    const cwd = makeDirectory({ 'hidden/file': '1', 'keep/file': '2', fetch: '#!/bin/sh\ntouch "$0.ran"\n' });
    const program = join(cwd, '.git', 'fetch');
    git(cwd, 'init');
    git(cwd, 'add', 'hidden', 'keep');
    git(cwd, 'commit', '--message', 'all');
    git(cwd, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'keep');
    const tree = execFileSync('git', ['-C', cwd, 'rev-parse', 'HEAD:hidden'], { encoding: 'utf8' }).trim();
    rmSync(join(cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    renameSync(join(cwd, 'fetch'), program);
    chmodSync(program, 0o755);
    for (const [name, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', `ext::${program}`],
      ['protocol.ext.allow', 'always'],
    ] as const) {
      git(cwd, 'config', name, value);
    }
    mkdirSync(join(cwd, 'hidden/.skillwright'), { recursive: true });

    await assertUntracked(join(cwd, 'hidden/.skillwright'));

    expect(existsSync(`${program}.ran`)).toBe(false);
  });
});

describe('a data directory in a worktree or submodule that git can read', () => {
  it('is refused only if git tracks it', async () => {
    const main = makeRepository();
    const tree = join(makeDirectory({}), 'tree');
    git(main, 'worktree', 'add', '--detach', tree);
    expect(await answersOf(tree)).toEqual([expect.stringContaining('Git tracks'), undefined]);
    git(tree, 'rm', '-r', '--cached', '.skillwright');
    expect(await answersOf(tree)).toEqual([undefined, undefined]);
  });
});

describe('a data directory behind a link', () => {
  it.each<[string, string, string]>([
    ['the directory itself', '.skillwright', '.skillwright'],
    ['a directory above it', 'state', 'state/.skillwright'],
  ])('is refused if git tracks the link that is %s', async (_what, link, data) => {
    const outside = makeDirectory({ 'gateway.db': '', '.skillwright/gateway.db': '' });
    const cwd = makeDirectory({});
    symlinkSync(outside, join(cwd, link));
    git(cwd, 'init');
    await expect(assertUntracked(join(cwd, data))).resolves.toBeUndefined();
    git(cwd, 'add', '--force', link);
    await expect(assertUntracked(join(cwd, data))).rejects.toMatchObject({
      code: 'DataDirectoryTracked',
      message: expect.stringContaining(`Git tracks ${join(cwd, link)}`) as string,
    });
  });

  it('is refused if the link leads to a second link that git tracks', async () => {
    const cwd = makeDirectory({});
    mkdirSync(join(cwd, 'repository'));
    symlinkSync(makeDirectory({ 'gateway.db': '' }), join(cwd, 'repository/second'));
    symlinkSync('repository/second', join(cwd, 'first'));
    git(join(cwd, 'repository'), 'init');
    git(join(cwd, 'repository'), 'add', '.');
    await expect(assertUntracked(join(cwd, 'first'))).rejects.toThrow(`Git tracks ${join(cwd, 'repository/second')}`);
  });
});
