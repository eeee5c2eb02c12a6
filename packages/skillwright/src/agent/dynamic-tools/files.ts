import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { messageOf } from '../../spec/errors/caught-error.ts';
import type { ToolDraft } from './draft.ts';

/** Beside the files that were written: what they were. */
const LEDGER = '.skillwright.json';

/** Writes a draft as a skill, whole or not at all. Never replaces an existing file. */
export async function saveTool(draft: ToolDraft, directory: string): Promise<string> {
  const path = join(directory, draft.skillName);
  const temporary = join(directory, `.defining-${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true });
    if ((await readdir(directory)).includes(draft.skillName)) throw alreadyThere(path);
    for (const [file, content] of Object.entries({ ...draft.files, [LEDGER]: ledgerOf(draft.files) })) {
      await mkdir(dirname(join(temporary, file)), { recursive: true });
      await writeFile(join(temporary, file), content, { flag: 'wx' });
    }
    await rename(temporary, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? alreadyThere(path) : error;
    });
    return path;
  } catch (error) {
    if (SkillwrightError.isInstance(error)) throw error;
    throw failed(`The tool could not be saved at ${path}`, error);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

/** Removes a skill that `saveTool` wrote and nobody touched since; otherwise says why not. */
export async function removeSavedTool(path: string): Promise<string | undefined> {
  const ledger = await readLedger(path);
  if (ledger === undefined) return 'it was not made by define_tool';
  const found = await filesIn(path, '');
  const expected = [...Object.keys(ledger), LEDGER].sort();
  if (found.join('\n') !== expected.join('\n')) return 'files were added to it or removed from it since';
  for (const [file, digest] of Object.entries(ledger))
    if (digestOf(await readFile(join(path, file))) !== digest) return `${file} was edited since`;
  const condemned = join(dirname(path), `.removing-${randomUUID()}`);
  await rename(path, condemned);
  await rm(condemned, { recursive: true, force: true });
  return undefined;
}

async function readLedger(path: string): Promise<Record<string, string> | undefined> {
  try {
    const { files } = JSON.parse(await readFile(join(path, LEDGER), 'utf8')) as { files?: unknown };
    if (typeof files !== 'object' || files === null) return undefined;
    return Object.values(files).every((digest) => typeof digest === 'string')
      ? (files as Record<string, string>)
      : undefined;
  } catch {
    return undefined;
  }
}

async function filesIn(root: string, inside: string): Promise<string[]> {
  const entries = await readdir(join(root, inside), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesIn(root, path)));
    else found.push(path);
  }
  return found.sort();
}

function ledgerOf(files: ToolDraft['files']): string {
  const digests = Object.fromEntries(Object.entries(files).map(([file, content]) => [file, digestOf(content)]));
  return `${JSON.stringify({ madeBy: 'define_tool', files: digests }, undefined, 2)}\n`;
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function alreadyThere(path: string): SkillwrightError {
  return new SkillwrightError(
    'ToolNotSaved',
    `There is something at ${path} already, and it is not replaced. Choose another name.`,
    {
      data: { path },
    },
  );
}

function failed(what: string, error: unknown): SkillwrightError {
  const reason = messageOf(error);
  return new SkillwrightError('ToolNotSaved', `${what}: ${reason}.`, { cause: error });
}
