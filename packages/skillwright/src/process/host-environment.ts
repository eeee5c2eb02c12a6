import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The environment of this process. No other code of the library reads it. */
export function hostEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
}

/** The directory in which this user's programs keep caches. */
export function cacheDirectory(environment: Readonly<Record<string, string>>): string {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local } = environment;
  if (given !== undefined && given !== '') return join(given, 'skillwright');
  if (process.platform === 'win32') return join(local ?? tmpdir(), 'skillwright', 'cache');
  const home = homeDirectory();
  if (home === '' || home === '/') return join(tmpdir(), `skillwright-${process.getuid?.() ?? 0}`);
  return process.platform === 'darwin'
    ? join(home, 'Library', 'Caches', 'skillwright')
    : join(home, '.cache', 'skillwright');
}

/** The user's home directory. Empty if HOME is not set and the system does not list the user. */
export function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
