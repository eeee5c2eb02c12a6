import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { findInit, isFiltered, isSameProcess, type KnownProcess, endProcess, waitUntilGone } from './init.ts';
import { constants } from 'node:os';

/** A shell that holds the program back until the host lets it start. */
export interface GateShell {
  readonly program: string;
  /**
   * How to remove the variables that the shell itself adds, if it adds any: the path of `env`, and the variables'
   * names.
   */
  readonly cleaner: { readonly program: string; readonly names: readonly string[] } | undefined;
  /** Whether the shell sets every limit itself, which saves starting another program. */
  readonly setsLimits: boolean;
}

/** The limits of a run. */
export interface GateLimits {
  readonly dataBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
  /** How many files each process may have open. Default: the host's limit. */
  readonly openFiles?: number | undefined;
}

/** The facts that the host checks when the sandbox is ready. */
interface GateKeeper {
  /** The process id of bubblewrap. */
  readonly pid: number;
  /** Whether the sandbox has a filter of system calls. */
  readonly filtered: boolean;
  /** Checks a ready sandbox. If it returns a problem, nothing runs in the sandbox. */
  check(init: KnownProcess): string | undefined;
}

export interface Gate {
  /** The first process of the sandbox, once it is ready. */
  init(): KnownProcess | undefined;
  /** Whether the sandbox was ever ready: its program was then started or refused. */
  isReached(): boolean;
  /** Resolves when no program waits at the gate and none can arrive there any more. */
  readonly closed: Promise<void>;
}

/** The exit code of a program that was not started. */
const REFUSED = 125;
const FILTER_CHECKS = 2_000;
const FILTER_PAUSE_MS = 1;

/**
 * A command that waits at a descriptor before it becomes the program. It reports its arrival, and continues after an
 * empty line. If it reads any other line, it prints the line and ends. If the host is gone, it ends at once. It closes
 * the descriptor before it becomes the program.
 */
export function gateCommand(
  shell: GateShell,
  descriptor: number,
  given: Readonly<Record<string, string>>,
  limits?: GateLimits,
): string[] {
  const script = [
    ...(limits === undefined ? [] : [`${limitScript(limits)} || exit ${REFUSED}`]),
    `echo >&${descriptor}`,
    `read -r skillwright_gate <&${descriptor} || exit ${REFUSED}`,
    `[ -z "$skillwright_gate" ] || { printf '%s\\n' "$skillwright_gate" >&2; exit ${REFUSED}; }`,
    `exec "$@" ${descriptor}<&-`,
  ].join('; ');
  const added = shell.cleaner?.names.filter((name) => given[name] === undefined) ?? [];
  const clean =
    shell.cleaner === undefined || added.length === 0
      ? []
      : [shell.cleaner.program, ...added.flatMap((name) => ['-u', name])];
  return [shell.program, '-c', script, 'sandbox', ...clean];
}

/**
 * The shell commands that set limits, in dash's units: blocks of 512 bytes for files, and of 1,024 bytes for memory. No
 * program can raise the limits again.
 */
export function limitScript({ dataBytes, processes, fileBytes, openFiles }: GateLimits): string {
  const data = Math.ceil(dataBytes / 1_024);
  const file = Math.ceil(fileBytes / 512);
  const open = openFiles === undefined ? '' : ` && ulimit -n ${openFiles}`;
  return `ulimit -c 0 && ulimit -d ${data} && ulimit -p ${processes} && ulimit -f ${file}${open}`;
}

/**
 * Opens the gate when three things are true: the program waits there, all processes of the sandbox end with this
 * process, and the sandbox's first process is known. From then on, the program cannot prevent the sandbox from being
 * ended.
 */
export function keepGate(stream: Socket, keeper: GateKeeper): Gate {
  let init: KnownProcess | undefined;
  let isReached = false;
  stream.once('data', () => {
    isReached = true;
    init = findInit(keeper.pid);
    void answer(init, keeper).then((line) => stream.end(`${line}\n`));
  });
  return {
    init: () => init,
    isReached: () => isReached,
    closed: new Promise((resolve) => {
      stream.once('close', () => resolve());
    }),
  };
}

async function answer(init: KnownProcess | undefined, keeper: GateKeeper): Promise<string> {
  if (init === undefined)
    return 'The first process of the sandbox cannot be found. Check that /proc shows the processes of this system.';
  for (let check = 0; keeper.filtered && !isFiltered(init.pid); check += 1) {
    // Do not wait any longer for a process that has ended.
    if (check === FILTER_CHECKS || !isSameProcess(init))
      return 'The system call filter was not applied to the first process of the sandbox.';
    await pause(FILTER_PAUSE_MS);
  }
  return keeper.check(init) ?? '';
}

/** How long a sandbox that was ended before it reached the gate may take to disappear. */
const GATE_MS = 1_000;

/** Ends the first process of a sandbox and, with it, every other. */
export function endInit(gate: Gate): void {
  const init = gate.init();
  if (init !== undefined) endProcess(init);
}

/**
 * Waits until a sandbox is gone after its bubblewrap has ended. `sweep` ends what is left of a sandbox that never
 * became ready.
 */
export async function waitUntilEnded(gate: Gate, sweep: () => Promise<void>): Promise<void> {
  const init = gate.init();
  if (init !== undefined) {
    endProcess(init);
    await waitUntilGone([init]);
  } else if (!(await closesInTime(gate))) await sweep();
}

/**
 * How the program ended. Like a shell, bubblewrap exits with 128 plus the signal's number if a signal ended the
 * program, so a program that itself exits with 129 to 159 is reported as ended by a signal. `reached`: whether the
 * program had started; otherwise bubblewrap itself failed.
 */
export function readEnd(
  { exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null },
  reached: boolean,
): { exitCode: number | null; signal: string | null } {
  if (signal !== null) return { exitCode: null, signal };
  if (exitCode === null || !reached) return { exitCode: null, signal: null };
  const ended = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return ended === undefined ? { exitCode, signal: null } : { exitCode: null, signal: ended };
}

async function closesInTime(gate: Gate): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), GATE_MS);
  });
  try {
    return await Promise.race([gate.closed.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
