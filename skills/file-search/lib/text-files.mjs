import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILE_BYTES = 5_000_000;
const LEFT_OUT = new Set(['node_modules', 'dist', 'build', 'coverage', 'target', 'vendor']);

/** Every regular file below a directory, by name, without following links. Reports directories that cannot be read. */
export async function* filesBelow(directory, { all, onSkip }, below = '') {
  let entries;
  try {
    entries = await readdir(join(directory, below), { withFileTypes: true });
  } catch {
    onSkip('unreadable');
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (!all && (entry.name.startsWith('.') || (entry.isDirectory() && LEFT_OUT.has(entry.name)))) continue;
    if (entry.isDirectory()) yield* filesBelow(directory, { all, onSkip }, path);
    else if (entry.isFile()) yield path;
  }
}

/** Reads files one after the other: yields the text of each, or why it is not searched. */
export function createTextReader() {
  const buffer = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
  return async (path) => {
    let file;
    try {
      file = await open(path, 'r');
      const bytes = await readBytes(file, buffer);
      if (bytes.length > MAX_FILE_BYTES) return { skipped: 'too large' };
      return bytes.subarray(0, 8_192).includes(0) ? { skipped: 'binary' } : { text: bytes.toString('utf8') };
    } catch {
      return { skipped: 'unreadable' };
    } finally {
      await file?.close();
    }
  };
}

/** Reads up to the limit, whatever size a file claims to have: some files grow, and some have no size. */
async function readBytes(file, buffer) {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
