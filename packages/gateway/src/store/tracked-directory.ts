import { spawn } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { followPath } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Throws if git tracks files in a data directory, or a link on the way to it: a cloned repository could add keys and
 * settings that way. Does nothing if git is not installed.
 */
export async function assertUntracked(directory: string, path: string = USUAL_PATH): Promise<void> {
  const { links, real } = followPath(directory);
  for (const link of links) await assertPlaceUntracked({ directory, cwd: dirname(link), name: basename(link), path });
  if (existsSync(real)) await assertPlaceUntracked({ directory, cwd: real, name: '', path });
}

/** Something that git may track: `name` in `cwd`, or everything in `cwd`. */
interface Place {
  /** The data directory, as configured. */
  readonly directory: string;
  /** A real path. */
  readonly cwd: string;
  readonly name: string;
  /** Where to search for git. */
  readonly path: string;
}

async function assertPlaceUntracked(place: Place): Promise<void> {
  const { directory, cwd } = place;
  for (const root of repositoriesAbove(cwd)) {
    const file = await firstTrackedFile(root, place);
    if (file === undefined) continue;
    const message = `Git tracks ${join(cwd, file)}, so the data directory ${directory} may have come with the repository. Use another directory with --data, or remove it from the repository: git rm -r --cached ${directory}`;
    throw new GatewayError('DataDirectoryTracked', message, { data: { directory, file } });
  }
}

/**
 * Finds all repositories above a directory: a nearer or fake repository must not hide the repository that tracks the
 * directory.
 */
function repositoriesAbove(start: string): readonly string[] {
  const found: string[] = [];
  for (let directory = start; ; directory = dirname(directory)) {
    if (isThere(join(directory, '.git'))) found.push(directory);
    if (dirname(directory) === directory) return found;
  }
}

/** Whether an entry exists at a path, even if it is a broken link. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Git fetches objects that a partial clone lacks, and a repository's configuration may name any program as the means.
 * The first variable stops that in every version of git, the second also skips the attempt in newer ones.
 */
const NO_FETCH = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' } as const;

/** The first file that git tracks in a place, if any. Reads no further names. */
function firstTrackedFile(root: string, { directory, cwd, name, path }: Place): Promise<string | undefined> {
  // Turns off the file system monitor, because the repository could name any program as its monitor.
  const repository = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-c', 'core.fsmonitor=false'];
  const list = ['ls-files', '-z', '--cached', '--', name === '' ? '.' : `:(icase,literal)${name}`];
  // Drops this process's variables, because GIT_DIR and GIT_INDEX_FILE would name another repository. Drops relative
  // directories from the path, because they could hold programs of the repository.
  const env = { PATH: path.split(delimiter).filter(isAbsolute).join(delimiter), ...NO_FETCH };
  const git = spawn('git', ['-C', cwd, ...repository, ...list], { env, stdio: ['ignore', 'pipe', 'ignore'] });
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
      if (code === 0 || hasNoIndex(join(root, '.git'))) resolve(undefined);
      else reject(unknownTracking(root, directory));
    });
  });
}

/**
 * Whether a directory that git cannot read surely tracks nothing, because it has no index. In a worktree or submodule
 * `.git` is a file, and the index is elsewhere.
 */
function hasNoIndex(repository: string): boolean {
  try {
    return (
      statSync(repository).isDirectory() && statSync(join(repository, 'index'), { throwIfNoEntry: false }) === undefined
    );
  } catch {
    return false;
  }
}

function unknownTracking(root: string, directory: string): GatewayError {
  const message = `Git cannot say whether it tracks ${directory}, because it cannot read the repository in ${root}. Use another directory with --data, or repair the repository: git -C ${root} status`;
  return new GatewayError('DataDirectoryTracked', message, { data: { directory, repository: root } });
}
