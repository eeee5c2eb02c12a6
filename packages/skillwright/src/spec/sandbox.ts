/** How a program is kept from the rest of the machine, weakest first. */
export type SandboxTier = 'inprocess' | 'process' | 'bubblewrap' | 'container' | 'remote';

export const SANDBOX_TIERS: readonly SandboxTier[] = ['inprocess', 'process', 'bubblewrap', 'container', 'remote'];

/** What a tier promises on this host. Do not rely on anything that is false here. */
export interface SandboxCapabilities {
  /** Runs programs in any language; otherwise only JavaScript handlers. */
  readonly runsPrograms: boolean;
  /** Ends code that never gives way. */
  readonly interrupts: boolean;
  /** Ending a run ends every descendant, also those that left the process group. */
  readonly killsTree: boolean;
  readonly hidesNetwork: boolean;
  /** Only the skill, what is granted of the workspace, and the system's programs can be seen. */
  readonly hidesFiles: boolean;
  /** The skill's own files cannot be changed by what runs. */
  readonly protectsSkill: boolean;
  /**
   * Bounds the memory of programs, all processes together, by `limits.memoryBytes`: private and shared memory, page
   * tables, data in sockets and pipes, and mappings and file locks by their number. Files in temporary directories may
   * come on top, and so may other records that the kernel keeps of processes.
   */
  readonly boundsMemory: boolean;
  readonly boundsProcesses: boolean;
  readonly boundsDisk: boolean;
}

/** What a tier promises that keeps nothing from a program. */
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

/** Whether a tier can be used here, and if not, why and how to get it. */
export type SandboxProbe =
  | { readonly available: true; readonly capabilities: SandboxCapabilities; readonly detail: string }
  | { readonly available: false; readonly reason: string; readonly remedy: string };

/** What a run may take of the machine, in tiers that bound it. */
export interface SandboxLimits {
  /** The limit for all processes of a run together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** The limit for the private temporary directory, and for any one file. */
  readonly diskBytes: number;
  /** The limit for any one file, if it is lower. Default: `diskBytes`. */
  readonly fileBytes?: number | undefined;
  /** Files that each process may have open. Default: what the tier allows. */
  readonly openFiles?: number | undefined;
}

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 1_073_741_824,
  processes: 128,
  diskBytes: 268_435_456,
};

/** What a sandbox ended a program for taking too much of. */
export type SandboxBound = 'memory' | 'files';

/** What a program sees of its working directory in tiers that hide files: an empty one of its own, or the real one. */
export type WorkspaceAccess = 'none' | 'read' | 'write';

/** A handler worker: a program that answers calls on its channel (see `docs/custom-sandbox.md`). */
export interface HandlerWorkerLaunch {
  readonly language: 'javascript' | 'python';
  /** The handler's file, as the program sees it. */
  readonly file: string;
}

/** A proxy of the host's, which decides what a sandboxed program may reach. */
export interface EgressAccess {
  /** Its Unix socket, alone in a directory that is shown to the program. */
  readonly socket: string;
}

/** A program to start, with everything decided. Paths are the host's, and the program finds them under the same names. */
export interface SandboxLaunch {
  readonly executionId: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /**
   * The whole environment: nothing is inherited. A tier adds `SKILL_EXECUTION_ID`, and where it hides files its own
   * `HOME`, `TMPDIR` and `PWD`.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Directory of the skill, links resolved. Readable, and not to be written where the tier can see to it. */
  readonly skillDir: string;
  /** A directory to show in its place: a copy that nobody changes. Tiers that cannot, run nothing that has one. */
  readonly skillCopy?: string | undefined;
  readonly workspace: WorkspaceAccess;
  readonly network: boolean;
  /** The only way to the network where there is one: the program reaches nothing but this proxy. */
  readonly egress?: EgressAccess | undefined;
  readonly limits: SandboxLimits;
  /** Open descriptor 3, both ways, for calls and answers that nothing else can be mixed up with. */
  readonly channel: boolean;
  /** What the program is, when it is a handler worker: a tier may host it in another way. */
  readonly handler?: HandlerWorkerLaunch | undefined;
}

/** As much of a writable stream as running takes. */
export interface ProgramInput {
  /** `onTaken` is called once the data is on its way, or can no longer be. */
  write(data: string | Uint8Array, onTaken?: () => void): unknown;
  end(data?: string | Uint8Array): unknown;
}

/** As much of a readable stream as running takes. */
export interface ProgramOutput {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  once(event: 'close' | 'error', listener: () => void): unknown;
  destroy(): unknown;
}

/** How a program ended. */
export interface SandboxExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What its sandbox ended it for, where it did so by itself. */
  readonly exceeded?: SandboxBound | undefined;
}

/** A started program. */
export interface SandboxProcess {
  readonly stdin: ProgramInput;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** Descriptor 3, if requested. */
  readonly channel?: ProgramInput & ProgramOutput;
  /** Settles once when the program itself has ended; descendants may still hold its pipes. Never rejects. */
  readonly exited: Promise<SandboxExit>;
  /** Ends the program and its descendants as far as the tier can. Resolves when they are gone; never rejects. */
  kill(): Promise<void>;
  /** Whether the host's process stays alive for it. It does at first; a waiting worker is let go of. */
  keepAlive(kept: boolean): void;
}

/** A place to run programs in. */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** Looks once; later calls answer from memory. Never rejects. */
  probe(): Promise<SandboxProbe>;
  /** Rejects with a system error when the program cannot be started. */
  launch(launch: SandboxLaunch): Promise<SandboxProcess>;
}
