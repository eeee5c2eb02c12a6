import { randomUUID } from 'node:crypto';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../spec/gateway-error.ts';
import { holdForcibly, pathIn } from './held-directory.ts';
import { removeEntry, walkWorkspace, type Entry } from './workspace-walk.ts';

/**
 * A place for directories that are too deep to walk. It is beside the workspaces, where programs cannot reach it. Trees
 * of any depth are removed from it piece by piece.
 */
export interface WorkspaceBin {
  /** Moves a directory with all its content here, in one step. */
  take(entry: Entry): Promise<void>;
  /** Removes everything here, including leftovers of a crash. Rejects when the signal aborts, and leaves the rest. */
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
      // Moving a directory requires write permission on it, which its owner may have removed.
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
            // Move the directory to the top of the bin, so that the next walk reaches what is inside it.
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
