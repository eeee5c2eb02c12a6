import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GatewayError } from '../spec/gateway-error.ts';

const run = promisify(execFile);

/**
 * Throws if git tracks files in a data directory: a cloned repository could bring keys and settings that way. Where there is
 * no git to ask, nothing is known and nothing is thrown.
 */
export async function assertUntracked(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const real = realpathSync(directory);
  const root = repositoryOf(real);
  if (root === undefined) return;
  const [first] = await trackedFiles(root, real);
  if (first === undefined) return;
  const message = `Git tracks ${join(real, first)}, so the data directory ${directory} may have come with the repository. Use another directory with --data, or take it out of the repository: git rm -r --cached ${directory}`;
  throw new GatewayError('DataDirectoryTracked', message, { data: { directory, file: first } });
}

/** The directory that holds the nearest `.git`; in a work tree or submodule that is a file. */
function repositoryOf(start: string): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}

async function trackedFiles(root: string, directory: string): Promise<string[]> {
  // Named on the command line, the repository is this one whatever GIT_DIR says. A configured file system monitor is a
  // program that the repository could name.
  const repository = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-c', 'core.fsmonitor=false'];
  try {
    const { stdout } = await run('git', ['-C', directory, ...repository, 'ls-files', '-z', '--cached', '--', '.']);
    return stdout.split('\0').filter((path) => path !== '');
  } catch {
    return [];
  }
}
