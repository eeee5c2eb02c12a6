import { randomUUID } from 'node:crypto';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../spec/caught-error.ts';
import { holdForcibly, pathIn } from './held-directory.ts';
import { removeEntry, walkWorkspace, type Entry } from './workspace-walk.ts';

/**
 * Where directories go that cannot be walked through: beside the workspaces, out of every program's reach. A tree of any
 * depth is removed from here piece by piece.
 */
export interface WorkspaceBin {
  /** Moves a directory here, with all that is in it, in one step. */
  take(entry: Entry): Promise<void>;
  /** Removes what is here, also what a crash left. Rejects when the signal aborts; the rest is still here then. */
  empty(signal?: AbortSignal): Promise<void>;
}

const BIN = '.bin';

/** The bin of one workspace. */
export function createWorkspaceBin(root: string): WorkspaceBin {
  const bin = join(dirname(root), BIN, basename(root));
  const take = async ({ directory, name }: Entry): Promise<void> => {
    const move = (): Promise<void> => rename(pathIn(directory, name), join(bin, randomUUID()));
    await mkdir(bin, { recursive: true, mode: 0o700 });
    await move().catch(async (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return;
      // Only who may write to a directory may move it, and its owner may have shut it.
      await (await holdForcibly(directory, name)).handle.close();
      await move();
    });
  };
  return {
    take,
    async empty(signal) {
      for (let isEmpty = false; !isEmpty;) {
        isEmpty = true;
        let isStuck = true;
        try {
          await walkWorkspace(bin, {
            async visit(entry) {
              isEmpty = false;
              if (await removeEntry(entry)) isStuck = false;
              return true;
            },
            // To the top, from where the next walk comes as much deeper.
            async onDeep(entry) {
              [isEmpty, isStuck] = [false, false];
              await take(entry);
              return true;
            },
            signal,
          });
        } catch (error) {
          if (systemCode(error) === 'ENOENT') return;
          throw error;
        }
        if (isStuck) break;
      }
      await rmdir(bin).catch(() => {});
    },
  };
}
