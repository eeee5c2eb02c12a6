import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
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

/** Reads no more than the first name. Something without an index tracks nothing, whatever git makes of it. */
function firstTrackedFile(root: string, directory: string, path: string): Promise<string | undefined> {
  // A configured file system monitor is a program that the repository could name.
  const repository = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-c', 'core.fsmonitor=false'];
  const list = ['ls-files', '-z', '--cached', '--', '.'];
  // Without the variables of this process: GIT_DIR and GIT_INDEX_FILE would name another repository.
  // A relative directory on the path could hold a program of the repository.
  const env = { PATH: path.split(delimiter).filter(isAbsolute).join(delimiter) };
  const git = spawn('git', ['-C', directory, ...repository, ...list], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    let text = '';
    git.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (!text.includes('\0')) return;
      git.kill();
      resolve(text.slice(0, text.indexOf('\0')));
    });
    git.once('error', () => resolve(undefined));
    git.once('close', (code) => {
      if (code === 0 || !existsSync(join(root, '.git/index'))) resolve(undefined);
      else reject(unknownTracking(root, directory));
    });
  });
}

function unknownTracking(root: string, directory: string): GatewayError {
  const message = `Git cannot say whether it tracks ${directory}, because it cannot read the repository in ${root}. Use another directory with --data, or mend the repository: git -C ${root} status`;
  return new GatewayError('DataDirectoryTracked', message, { data: { directory, repository: root } });
}
