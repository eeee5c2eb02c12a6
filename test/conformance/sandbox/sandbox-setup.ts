import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestContext } from 'vitest';
import {
  runProgram,
  type ProgramOutcome,
  type ProgramRun,
} from '../../../packages/skillwright/src/run/scripts/run-program.ts';
import {
  DEFAULT_SANDBOX_LIMITS,
  type Sandbox,
  type SandboxCapabilities,
  type SandboxLaunch,
} from '../../../packages/skillwright/src/spec/sandbox.ts';

export type Changes = Partial<Omit<ProgramRun, 'launch'>> & { launch?: Partial<SandboxLaunch> };
type Row = (context: TestContext) => Promise<void>;
type Capability = keyof SandboxCapabilities;

/** Properties of a tier that are not promises. */
export interface TierTraits {
  /** Starts are slow, so rows that start many programs start fewer. */
  readonly startsSlowly: boolean;
  /** Programs see other system files than the host's, as in a container image. */
  readonly hasOwnSystem: boolean;
  /** The reason, if the tier does not rely on the sandbox's first process to end the others. */
  readonly endedFromOutside: string | undefined;
}

const PLAIN: TierTraits = { startsSlowly: false, hasOwnSystem: false, endedFromOutside: undefined };

/** A tier under test: its directories, ways to run programs in it, and the count of its rows. */
export interface SandboxBench {
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly traits: TierTraits;
  /** The parent of the other directories, closed to other users when the host is root. */
  readonly root: string;
  readonly skill: string;
  readonly workspace: string;
  /** A file that everyone may read, in a directory that is granted to no program. */
  readonly secret: string;
  /** Launches Node in the workspace with write access; nothing else is granted. */
  launchOf(launch: Partial<SandboxLaunch>): SandboxLaunch;
  run(changes: Changes): Promise<ProgramOutcome>;
  node(code: string, changes?: Changes): Promise<ProgramOutcome>;
  shell(code: string, changes?: Changes): Promise<ProgramOutcome>;
  /** The body of a row that runs if the tier has these capabilities, and is otherwise skipped with the reason. */
  row(needs: readonly Capability[], check: () => Promise<void>): Row;
  /** Like `row`, for rows that also need something from the host. */
  hostRow(needs: readonly Capability[], lacking: string | undefined, check: () => Promise<void>): Row;
  prepare(): Promise<void>;
  finish(): void;
}

export const isRoot: boolean = process.getuid?.() === 0;
export const onLinux: string | undefined = process.platform === 'linux' ? undefined : 'this host is not Linux';

export function createBench(name: string, sandbox: Sandbox, traits: TierTraits = PLAIN): SandboxBench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-sandbox-')));
  const paths = {
    skill: join(root, 'skill'),
    workspace: join(root, 'workspace'),
    secret: join(root, 'secret', 'key.txt'),
  };
  const tally = { passed: 0, failed: 0, skipped: new Map<string, string>() };
  let capabilities: SandboxCapabilities | undefined;
  let unavailable = 'it was not looked at';

  const launchOf = (launch: Partial<SandboxLaunch>): SandboxLaunch => ({
    executionId: randomUUID(),
    program: process.execPath,
    args: [],
    cwd: paths.workspace,
    env: { PATH: '/usr/bin:/bin' },
    skillDir: paths.skill,
    workspace: 'write',
    network: false,
    limits: DEFAULT_SANDBOX_LIMITS,
    channel: false,
    ...launch,
  });
  const run = ({ launch = {}, ...rest }: Changes): Promise<ProgramOutcome> =>
    runProgram(sandbox, { timeoutMs: 20_000, maxOutputBytes: 20_480, ...rest, launch: launchOf(launch) });
  const lack = (needs: readonly Capability[]): string | undefined => {
    if (capabilities === undefined) return `the tier is not available here: ${unavailable}`;
    const missing = (['runsPrograms', ...needs] as const).filter((need) => capabilities?.[need] !== true);
    return missing.length === 0 ? undefined : `the tier does not promise ${missing.join(', ')} here`;
  };
  const hostRow: SandboxBench['hostRow'] = (needs, lacking, check) => async (context) => {
    const reason = lack(needs) ?? lacking;
    if (reason !== undefined) {
      tally.skipped.set(context.task.name, reason);
      context.skip(reason);
    }
    // Counted as failed until it has passed.
    tally.failed += 1;
    await check();
    tally.failed -= 1;
    tally.passed += 1;
  };
  return {
    name,
    sandbox,
    traits,
    root,
    ...paths,
    launchOf,
    run,
    node: (code, changes = {}) =>
      run({ ...changes, launch: { ...changes.launch, args: ['-e', code, ...(changes.launch?.args ?? [])] } }),
    shell: (code, changes = {}) =>
      run({ ...changes, launch: { program: '/bin/sh', ...changes.launch, args: ['-c', code] } }),
    row: (needs, check) => hostRow(needs, undefined, check),
    hostRow,
    async prepare() {
      for (const path of [paths.skill, paths.workspace, join(root, 'secret')]) mkdirSync(path);
      writeFileSync(join(paths.skill, 'SKILL.md'), 'the skill\n');
      writeFileSync(paths.secret, 'top secret\n');
      chmodSync(paths.workspace, 0o777);
      const probe = await sandbox.probe();
      if (probe.available) ({ capabilities } = probe);
      else unavailable = `${probe.reason} ${probe.remedy}`;
    },
    finish() {
      rmSync(root, { recursive: true, force: true });
      const { passed, failed, skipped } = tally;
      // A test bench may be used without rows.
      if (passed + failed + skipped.size === 0) return;
      const reasons = [...skipped].map(([title, reason]) => `\n  skipped: ${title} (${reason})`);
      console.log(`${name}: ${passed} rows passed, ${failed} failed, ${skipped.size} skipped${reasons.join('')}`);
    },
  };
}

/** The processes of this host that have a text in their command line or, if readable, their environment. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => readIfThere(`/proc/${pid}/${file}`).includes(text)));
}

/** Waits for a condition. Fails loudly rather than waiting forever. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let check = 0; check < 500; check += 1) {
    if (isSo()) return;
    await pause(20);
  }
  throw new Error(`Waited too long for: ${what}.`);
}

/** The state letter of a process, such as `Z` for a zombie, and its parent; `undefined` when it is gone. */
export function stateOf(pid: number): { state: string; parent: number } | undefined {
  const fields = readIfThere(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return fields.length < 2 ? undefined : { state: fields[0] ?? '', parent: Number(fields[1]) };
}

export function isAlive(pid: number): boolean {
  const found = stateOf(pid);
  return found !== undefined && found.state !== 'Z';
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
