import { readShellScript } from './shell-list.ts';
import { collectParts, type PartCollector, type ShellPart } from './shell-parts.ts';

export interface ShellReading {
  /** Every simple command that would run; a wrapper comes before what it wraps. */
  readonly parts: readonly ShellPart[];
  /** Files that output would be redirected to. */
  readonly writes: readonly string[];
}

const MAX_SCRIPTS = 6;
/** Linux gives a shell no longer one. */
const MAX_LENGTH = 131_072;
/** Control characters have no business in a command; tabs and line ends do. */
const CONTROL = /[^\P{Cc}\t\n]/u;

/**
 * Reads a command line for a POSIX shell or Bash, never runs or expands anything, and takes time in proportion to
 * its length. Undefined for everything that is not understood, such as loops, functions and here-documents.
 */
export function readShellCommand(command: string): ShellReading | undefined {
  const parts: ShellPart[] = [];
  const writes: string[] = [];
  const read = (text: string, depth: number): boolean => {
    if (depth > MAX_SCRIPTS || text.length > MAX_LENGTH || CONTROL.test(text)) return false;
    const script = readShellScript(text);
    if (script === undefined) return false;
    for (const file of script.writes) writes.push(file);
    const collector: PartCollector = { parts, writes, readScript: (inner) => read(inner, depth + 1) };
    return script.calls.every((call) => collectParts(call, collector));
  };
  return read(command, 0) ? { parts, writes } : undefined;
}
