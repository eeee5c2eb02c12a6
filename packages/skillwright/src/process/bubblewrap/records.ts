import { readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** How much the whole machine's kernel memory may grow before a sandbox's share of it is counted. */
const GROWTH_BYTES = 8_388_608;
const PAGE_BYTES = 4_096;
/**
 * The memory limit allows one mapping for each of this many bytes. A mapping takes about 200 bytes, plus 64 bytes for
 * each ancestor that its process was forked from.
 */
const MAPPING_BYTES = 16_384;
const LEAST_MAPPINGS = 16_384;
/**
 * The memory limit allows one file lock for each of this many bytes. A lock on a part of a file takes about 200 bytes,
 * but listing many locks takes long.
 */
const LOCK_BYTES = 65_536;
const LEAST_LOCKS = 4_096;
const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

/** Checks whether processes have more mappings or file locks than their memory limit allows. Never rejects. */
export type RecordsCheck = (processes: readonly string[]) => Promise<boolean>;

/**
 * Counts the mappings and file locks of a sandbox's processes, because the kernel's memory for them is not part of the
 * processes' sizes. Listing locks blocks every program on the machine that sets a lock, so nothing is listed before the
 * kernel's memory has grown. `directory` is the sandbox's own `/proc`, which lists only the locks of its processes.
 */
export function watchRecords(directory: string, memoryBytes: number): RecordsCheck {
  const mostMappings = Math.max(LEAST_MAPPINGS, memoryBytes / MAPPING_BYTES);
  const mostLocks = Math.max(LEAST_LOCKS, memoryBytes / LOCK_BYTES);
  let least = readKernelBytes();
  return async (processes) => {
    const now = readKernelBytes();
    least = Math.min(least, now);
    if (now - least < GROWTH_BYTES) return false;
    let mappings = 0;
    for (const process of processes) {
      mappings += await countLines(`${process}/maps`, mostMappings - mappings);
      if (mappings > mostMappings) return true;
    }
    if ((await countLines(`${directory}/locks`, mostLocks)) > mostLocks) return true;
    least = now;
    return false;
  };
}

/** Kernel memory that cannot be reclaimed, in bytes; `NaN` if it is unknown, so that everything is always listed. */
function readKernelBytes(): number {
  const pages = /^nr_slab_unreclaimable (\d+)$/m.exec(readFileSync('/proc/vmstat', 'latin1'))?.[1];
  return Number(pages) * PAGE_BYTES;
}

/** The number of lines of a file, or a number greater than `most`; 0 if the file is gone. */
async function countLines(path: string, most: number): Promise<number> {
  let file: FileHandle | undefined;
  let lines = 0;
  try {
    file = await open(path);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    while (lines <= most) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      for (const byte of chunk.subarray(0, bytesRead)) if (byte === NEWLINE) lines += 1;
    }
  } catch {
    // The process has ended.
  } finally {
    await file?.close();
  }
  return lines;
}
