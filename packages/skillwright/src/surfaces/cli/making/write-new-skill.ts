import { lstatSync, readdirSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemReason } from '../../../sources/file-errors.ts';
import { CliError } from '../cli-error.ts';
import type { SkillTemplate } from './skill-template.ts';

/** Writes a skill where nothing is yet. Nothing that is there is ever written over. */
export async function writeNewSkill(directory: string, shown: string, files: SkillTemplate['files']): Promise<void> {
  try {
    assertFree(directory, shown);
    for (const [path, { text, isProgram }] of Object.entries(files)) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
      if (isProgram) await chmod(file, 0o755);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('NotWritable', `${shown} cannot be written: ${systemReason(error)}.`, {
      hints: ['Check the permissions of the directory, or name another one with --dir.'],
      data: { path: directory },
    });
  }
}

function assertFree(directory: string, shown: string): void {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && readdirSync(directory).length === 0)) return;
  throw new CliError('AlreadyExists', `${shown} is there already, and nothing is written over it.`, {
    hints: ['Choose another name, or another directory with --dir.'],
    data: { path: directory },
  });
}
