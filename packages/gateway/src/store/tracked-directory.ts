import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GatewayError } from '../spec/gateway-error.ts';

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Throws if git tracks files in a data directory: a cloned repository could bring keys and settings that way. Where git is
 * not installed nothing is known, and nothing is thrown.
 */
export async function assertUntracked(directory: string, path: string = USUAL_PATH): Promise<void> {
  if (!existsSync(directory)) return;
  const real = realpathSync(directory);
  for (const root of repositoriesAbove(real)) {
    const file = await firstTrackedFile(root, real, path);
    if (file === undefined) continue;
    const message = `Git tracks ${join(real, file)}, so the data directory ${directory} may have come with the repository. Use another directory with --data, or take it out of the repository: git rm -r --cached ${directory}`;
    throw new GatewayError('DataDirectoryTracked', message, { data: { directory, file } });
  }
}

/** All of them: a nearer one, or something that only looks like one, must not hide the one that tracks the directory. */
function repositoriesAbove(start: string): readonly string[] {
  const found: string[] = [];
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) found.push(directory);
    if (dirname(directory) === directory) return found;
  }
}

/** Reads no more than the first name. What git cannot read as a repository tracks nothing. */
function firstTrackedFile(root: string, directory: string, path: string): Promise<string | undefined> {
  // A configured file system monitor is a program that the repository could name.
  const repository = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-c', 'core.fsmonitor=false'];
  const list = ['ls-files', '-z', '--cached', '--', '.'];
  // Without the variables of this process: GIT_DIR and GIT_INDEX_FILE would name another repository.
  const env = { PATH: path };
  const git = spawn('git', ['-C', directory, ...repository, ...list], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    let text = '';
    git.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (!text.includes('\0')) return;
      git.kill();
      resolve(text.slice(0, text.indexOf('\0')));
    });
    git.once('error', () => resolve(undefined));
    git.once('close', () => resolve(undefined));
  });
}
