import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A note beside the database of who has it open. The lock itself is the operating system's and ends with the process;
 * the note only lets whoever is refused be told by whom.
 */
export function writeHolderNote(file: string): void {
  try {
    writeFileSync(noteOf(file), `${JSON.stringify({ pid: process.pid })}\n`, { mode: 0o600 });
  } catch {
    // Without it the refusal names nobody.
  }
}

export function removeHolderNote(file: string): void {
  rmSync(noteOf(file), { force: true });
}

/** The process that wrote the note; `undefined` where there is none that can be read. */
export function readHolder(file: string): number | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(file), 'utf8'));
    const pid = typeof note === 'object' && note !== null && 'pid' in note ? note.pid : undefined;
    return typeof pid === 'number' && Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function noteOf(file: string): string {
  return `${file}.holder`;
}
