import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { closestName } from '../../../parse/closest-name.ts';
import { CliError } from '../cli-error.ts';

/** The error for a path that does not exist. Suggests the nearest name in its directory. */
export function missingPath(given: string, path: string): CliError {
  const name = basename(path);
  const nearest = given.endsWith(name) ? closestName(name, namesIn(dirname(path))) : undefined;
  const hints = nearest === undefined ? [] : [`Did you mean ${given.slice(0, -name.length)}${nearest}?`];
  return new CliError('PathNotFound', `${given} does not exist.`, { data: { path }, hints });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
