/** How a program is kept from the rest of the machine, weakest first. */
export type SandboxTier = 'inprocess' | 'process' | 'bubblewrap' | 'container' | 'remote';

/** What a tier promises on this host. What is false here must not be relied on. */
export interface SandboxCapabilities {
  /** Ending a run ends every descendant, also those that left the process group. */
  readonly killsTree: boolean;
  readonly hidesNetwork: boolean;
  readonly hidesFiles: boolean;
  /** The skill's own files cannot be changed by what runs. */
  readonly protectsSkill: boolean;
  readonly boundsMemory: boolean;
}

/** Whether a tier can be used here, and if not, why and how to get it. */
export type SandboxProbe =
  | { readonly available: true; readonly capabilities: SandboxCapabilities; readonly detail: string }
  | { readonly available: false; readonly reason: string; readonly remedy: string };

/** A program to start, with everything decided. Paths are the host's. */
export interface SandboxLaunch {
  readonly executionId: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment, to which a tier adds only `SKILL_EXECUTION_ID`: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Readable, and not to be written where the tier can see to it. */
  readonly skillDir: string;
  readonly network: boolean;
  /** Open descriptor 3 for an answer that nothing else can be mixed up with. */
  readonly channel: boolean;
}

/** As much of a writable stream as running takes. */
export interface ProgramInput {
  end(data: string | Uint8Array): unknown;
}

/** As much of a readable stream as running takes. */
export interface ProgramOutput {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  once(event: 'close' | 'error', listener: () => void): unknown;
  destroy(): unknown;
}

/** A started program. */
export interface SandboxProcess {
  readonly stdin: ProgramInput;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** What the program writes to descriptor 3, where one was asked for. */
  readonly channel?: ProgramOutput;
  /** Settles once when the program itself has ended; descendants may still hold its pipes. Never rejects. */
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  /** Ends the program and its descendants as far as the tier can. Resolves when they are gone; never rejects. */
  kill(): Promise<void>;
}

/** A place to run programs in. */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** Looks once; later calls answer from memory. Never rejects. */
  probe(): Promise<SandboxProbe>;
  /** Rejects with a system error when the program cannot be started. */
  launch(launch: SandboxLaunch): Promise<SandboxProcess>;
}
