/** How a program is isolated from the rest of the machine, weakest first. */
export type SandboxTier = 'inprocess' | 'process' | 'bubblewrap' | 'container' | 'remote';

export const SANDBOX_TIERS: readonly SandboxTier[] = ['inprocess', 'process', 'bubblewrap', 'container', 'remote'];

/** What a tier guarantees on this host. Do not rely on anything that is false here. */
export interface SandboxCapabilities {
  /** Whether the tier runs programs in any language. If false, it runs only JavaScript handlers. */
  readonly runsPrograms: boolean;
  /** Whether the tier can end code that never yields. */
  readonly interrupts: boolean;
  /** Whether ending a run ends all descendants of the program, even those that left the process group. */
  readonly killsTree: boolean;
  readonly hidesNetwork: boolean;
  /** Whether programs see only the skill, the granted part of the workspace, and the system's programs. */
  readonly hidesFiles: boolean;
  /** Whether programs cannot change the skill's own files. */
  readonly protectsSkill: boolean;
  /**
   * Whether the tier limits the memory of all processes together to `limits.memoryBytes`: private and shared memory,
   * page tables, data in sockets and pipes, and the number of mappings and file locks. Files in temporary directories
   * may count separately, and so may other data that the kernel keeps about processes.
   */
  readonly boundsMemory: boolean;
  readonly boundsProcesses: boolean;
  readonly boundsDisk: boolean;
}

/** The capabilities of a tier that does not isolate programs at all. */
export const NO_CAPABILITIES: SandboxCapabilities = {
  runsPrograms: false,
  interrupts: false,
  killsTree: false,
  hidesNetwork: false,
  hidesFiles: false,
  protectsSkill: false,
  boundsMemory: false,
  boundsProcesses: false,
  boundsDisk: false,
};

/** Whether a tier can be used on this host. If not, it says why, and how to make the tier available. */
export type SandboxProbe =
  | { readonly available: true; readonly capabilities: SandboxCapabilities; readonly detail: string }
  | { readonly available: false; readonly reason: string; readonly remedy: string };

/** Resource limits of a run, in tiers that enforce them. */
export interface SandboxLimits {
  /** The limit for all processes of a run together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** The limit for the private temporary directory, and for any one file. */
  readonly diskBytes: number;
  /** The limit for any one file, if it is lower than `diskBytes`. Default: `diskBytes`. */
  readonly fileBytes?: number | undefined;
  /** How many files each process may have open. Default: the tier's limit. */
  readonly openFiles?: number | undefined;
}

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 1_073_741_824,
  processes: 128,
  diskBytes: 268_435_456,
};

/** The limit that a program exceeded when its sandbox ended it. */
export type SandboxBound = 'memory' | 'files';

/**
 * What a program sees of its working directory in tiers that hide files: an empty private directory, or the real one.
 */
export type WorkspaceAccess = 'none' | 'read' | 'write';

/** A handler worker: a program that answers calls on its channel (see `docs/custom-sandbox.md`). */
export interface HandlerWorkerLaunch {
  readonly language: 'javascript' | 'python';
  /** The handler's file, by its path inside the sandbox. */
  readonly file: string;
}

/** The host's proxy, which decides what a sandboxed program may reach. */
export interface EgressAccess {
  /** The proxy's Unix socket, alone in a directory that the program can see. */
  readonly socket: string;
}

/** A program to start, with all its settings. Paths are those of the host, and are the same inside the sandbox. */
export interface SandboxLaunch {
  readonly executionId: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /**
   * The whole environment: nothing is inherited. A tier adds `SKILL_EXECUTION_ID` and, if it hides files, its own
   * `HOME`, `TMPDIR` and `PWD`.
   */
  readonly env: Readonly<Record<string, string>>;
  /** The skill's directory with links resolved. Readable, and read-only if the tier can enforce it. */
  readonly skillDir: string;
  /**
   * A directory to show in place of `skillDir`: a copy that nothing changes. A tier that cannot do this must refuse the
   * launch.
   */
  readonly skillCopy?: string | undefined;
  readonly workspace: WorkspaceAccess;
  readonly network: boolean;
  /** The proxy that the program must use. If set, it is the program's only way to the network. */
  readonly egress?: EgressAccess | undefined;
  readonly limits: SandboxLimits;
  /** Whether to open descriptor 3 in both directions, so that calls and results cannot mix with other output. */
  readonly channel: boolean;
  /** Set if the program is a handler worker, which a tier may run without starting a process. */
  readonly handler?: HandlerWorkerLaunch | undefined;
}

/** The parts of a writable stream that running a program needs. */
export interface ProgramInput {
  /** Writes data. `onTaken` is called once the data is on its way, or can no longer be sent. */
  write(data: string | Uint8Array, onTaken?: () => void): unknown;
  end(data?: string | Uint8Array): unknown;
}

/** The parts of a readable stream that running a program needs. */
export interface ProgramOutput {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  once(event: 'close' | 'error', listener: () => void): unknown;
  destroy(): unknown;
}

/** How a program ended. */
export interface SandboxExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The limit that the program exceeded, if the sandbox ended it for that. */
  readonly exceeded?: SandboxBound | undefined;
}

/** A started program. */
export interface SandboxProcess {
  readonly stdin: ProgramInput;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** The program's descriptor 3, if it was requested. */
  readonly channel?: ProgramInput & ProgramOutput;
  /** Resolves once the program itself has ended, even if descendants still hold its pipes. Never rejects. */
  readonly exited: Promise<SandboxExit>;
  /** Ends the program and its descendants as far as the tier can. Resolves when they are gone; never rejects. */
  kill(): Promise<void>;
  /**
   * Sets whether the program keeps the host's process alive. True at first, and false while a worker waits for calls.
   */
  keepAlive(kept: boolean): void;
}

/** A place where programs run. */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** Checks whether the tier can be used. Checks once; later calls return the cached result. Never rejects. */
  probe(): Promise<SandboxProbe>;
  /** Starts a program. Rejects with a system error if the program cannot start. */
  launch(launch: SandboxLaunch): Promise<SandboxProcess>;
}
