import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Whether there is a program of this name on a PATH; a name with a slash is a path from `baseDir`. */
export function hasProgram(
  program: string,
  baseDir: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (/[\\/]/.test(program)) return isProgram(resolve(baseDir, program));
  const isWindows = process.platform === 'win32';
  const endings = isWindows ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';')] : [''];
  const directories = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.some((directory) => endings.some((ending) => isProgram(join(directory, program + ending))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
