import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { delimiter } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getSystemErrorName } from 'node:util';
import { SkillwrightError, messageOf } from '../../spec/errors/error.ts';
import type { SandboxLaunch, SandboxProcess } from '../../spec/sandbox.ts';
import { startChild } from '../child-process.ts';
import { programsOnPath } from '../interpreters.ts';
import { supervisorCommand, supervisorInput } from './pid-namespace-program.ts';

/** How to start programs in PID namespaces here, or why that is impossible: `reason` is a clause about namespaces. */
export type PidNamespaces =
  | { readonly ok: true; readonly perl: string; readonly supervisor: readonly string[] }
  | { readonly ok: false; readonly reason: string };

type ProgramLaunch = Pick<SandboxLaunch, 'program' | 'args' | 'cwd' | 'env' | 'channel'>;
type ProgramEnd = Awaited<SandboxProcess['exited']>;

const CAP_SYS_ADMIN = 1n << 21n;
/** How long an ended process may take to disappear. The kernel keeps a process that waits for a broken disk. */
const GONE_MS = 5_000;
/**
 * A Perl program that checks that `/proc` belongs to the namespace, and that it runs as a child of the namespace's
 * first process.
 */
const TRIAL = 'exit(readlink("/proc/self") eq $$ && getppid == 1 ? 0 : 1)';

/**
 * Tests whether programs can be started in PID namespaces here. That requires root: a user namespace would change the
 * programs' user. Never rejects.
 */
export async function readPidNamespaces(path: string, covered: readonly number[]): Promise<PidNamespaces> {
  if (process.platform !== 'linux') return { ok: false, reason: 'they need Linux' };
  if (!isAdministrator()) return { ok: false, reason: 'they need the rights of root (CAP_SYS_ADMIN)' };
  const perl = programsOnPath('perl', path)[0];
  if (perl === undefined) return { ok: false, reason: `they need perl in ${path.replaceAll(delimiter, ' or ')}` };
  const archName = await archNameOf(perl);
  const supervisor = supervisorCommand(perl, archName);
  if (supervisor === undefined) return { ok: false, reason: `they need x64 or arm64, and ${perl} is for ${archName}` };
  const namespaces = { ok: true, perl, supervisor } as const;
  const trial = { program: perl, args: ['-f', '-e', TRIAL], cwd: '/', env: {}, channel: false };
  try {
    const child = await startInPidNamespace(namespaces, trial, covered);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', () => {});
    child.stdin.end();
    const { exitCode } = await child.exited;
    await child.kill();
    return exitCode === 0 ? namespaces : { ok: false, reason: 'a trial run did not see its own namespace in /proc' };
  } catch (error) {
    return { ok: false, reason: `a trial run failed: ${messageOf(error)}` };
  }
}

/** Starts a program in its own PID namespace. Rejects with a system error if it cannot start. */
export async function startInPidNamespace(
  { supervisor }: Extract<PidNamespaces, { ok: true }>,
  launch: ProgramLaunch,
  covered: readonly number[],
): Promise<SandboxProcess> {
  const { program, args, cwd, env, channel } = launch;
  const command = [program, ...args];
  assertNoNul([...command, ...Object.entries(env).flat()]);
  const [perl = '', ...options] = supervisor;
  // The program's environment goes through the gate: Perl must not use it.
  const child = await startChild({ program: perl, args: options, cwd, env: {}, channel, pipes: 1, covered });
  const { pid: _pid, isRunning: _isRunning, pipes, exited: supervisorEnded, ...streams } = child;
  const [gate] = pipes;
  if (gate === undefined)
    throw new SkillwrightError('LaunchFailed', `${program} was started without the pipe that makes it wait.`);
  const told = readGate(gate);
  gate.write(supervisorInput({ command, env, channel }));
  const problem = await told.problem;
  if (problem !== undefined) {
    for (const stream of [gate, streams.stdout, streams.stderr, streams.channel]) stream?.destroy();
    await supervisorEnded;
    throw problem.step === 'exec' ? systemError(program, args, problem.errno) : namespaceError(program, problem);
  }
  let isEmpty = false;
  const exited = told.end.then(async (end): Promise<ProgramEnd> => {
    isEmpty = end?.isEmpty === true;
    if (end !== undefined) return { exitCode: end.exitCode, signal: end.signal };
    // The first process of the namespace was ended, and all others with it, before the program ended by itself.
    await supervisorEnded;
    return { exitCode: null, signal: 'SIGKILL' };
  });
  return {
    ...streams,
    exited,
    async kill() {
      gate.destroy();
      // The supervisor ends when its namespace is gone.
      if (!isEmpty) await withinTime(supervisorEnded);
    },
  };
}

interface Problem {
  readonly step: string;
  readonly errno: number;
}

interface GateReport {
  /** Why the program was not started. */
  readonly problem: Promise<Problem | undefined>;
  /** How the program ended, and whether its namespace was empty then; `undefined` if that is unknown. */
  readonly end: Promise<(ProgramEnd & { readonly isEmpty: boolean }) | undefined>;
}

function readGate(gate: Socket): GateReport {
  const problem = Promise.withResolvers<Problem | undefined>();
  const end = Promise.withResolvers<(ProgramEnd & { readonly isEmpty: boolean }) | undefined>();
  let unread = '';
  gate.on('data', (chunk: Buffer) => {
    const lines = `${unread}${chunk.toString('latin1')}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) {
      const [word, first = '', second = ''] = line.split(' ');
      if (word === 'started') {
        problem.resolve(undefined);
        gate.write('\n');
      } else if (word === 'failed') problem.resolve({ step: first, errno: Number(second) });
      else if (word === 'ended') end.resolve({ ...readStatus(Number(first)), isEmpty: second === '-1' });
      else gate.destroy();
    }
  });
  gate.once('close', () => {
    problem.resolve({ step: 'start', errno: 0 });
    end.resolve(undefined);
  });
  return { problem: problem.promise, end: end.promise };
}

/** Decodes a status from `wait`. */
function readStatus(status: number): ProgramEnd {
  const ended = status & 0x7f;
  if (ended === 0) return { exitCode: status >> 8, signal: null };
  const name = Object.entries(constants.signals).find(([, number]) => number === ended)?.[0];
  return { exitCode: null, signal: name ?? `SIG${ended}` };
}

/** An error in the form that Node uses. */
function systemError(program: string, args: readonly string[], errno: number): Error {
  const code = getSystemErrorName(-errno);
  const fields = { errno: -errno, code, syscall: `spawn ${program}`, path: program, spawnargs: [...args] };
  return Object.assign(new Error(`spawn ${program} ${code}`), fields);
}

function namespaceError(program: string, { step, errno }: Problem): SkillwrightError {
  const why = errno === 0 ? step : `${step} ${getSystemErrorName(-errno)}`;
  return new SkillwrightError('LaunchFailed', `${program} could not be started in a PID namespace: ${why}.`);
}

function assertNoNul(words: readonly string[]): void {
  if (!words.some((word) => word.includes('\0'))) return;
  throw new SkillwrightError('LaunchFailed', 'Arguments and the environment of a program cannot hold NUL bytes.');
}

async function withinTime(work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = pause(GONE_MS, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([work, late]);
  timer.abort();
}

function isAdministrator(): boolean {
  try {
    const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
    return (BigInt(`0x${held}`) & CAP_SYS_ADMIN) !== 0n;
  } catch {
    return false;
  }
}

function archNameOf(perl: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(perl, ['-f', '-V:archname'], { timeout: 10_000, env: {}, encoding: 'utf8' }, (_error, stdout) => {
      resolve(/^archname='([^']+)'/.exec(stdout)?.[1] ?? 'an unknown system');
    });
  });
}
