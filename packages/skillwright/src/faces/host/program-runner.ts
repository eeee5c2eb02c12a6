import { createInterpreters } from '../../process/interpreters.ts';
import { createStandardSandboxes } from '../../process/standard-sandboxes.ts';
import { runProgram, type EndReason } from '../../run/scripts/run-program.ts';
import { assertSandboxOptions, type SandboxOptions } from '../../run/options/sandbox-options.ts';
import { createTiers } from '../../run/admission/tiers.ts';
import { silentLogger, type Logger } from '../../spec/events/logger.ts';
import { DEFAULT_SANDBOX_LIMITS, type Sandbox, type SandboxBound, type SandboxTier } from '../../spec/sandbox.ts';
import { messageOf } from '../../spec/errors/error.ts';

/** Options of `createProgramRunner`. */
export interface ProgramRunnerOptions extends Pick<SandboxOptions, 'container' | 'egress' | 'limits'> {
  /** The weakest tier allowed. From `bubblewrap` on, the tier must protect files and the network from the program. */
  readonly min: SandboxTier;
  /** The host's own sandboxes. Each replaces the built-in sandbox of its tier. */
  readonly sandboxes?: readonly Sandbox[] | undefined;
  /** The PATH that is searched for interpreters, bubblewrap and container engines. */
  readonly path: string;
  /** Gets warnings. Default: nothing is logged. */
  readonly logger?: Logger | undefined;
}

/** A script that does not belong to a skill. */
export interface ProgramRequest {
  readonly executionId: string;
  /**
   * The script's directory with links resolved. The program can read it and, if the tier enforces it, cannot change it.
   */
  readonly directory: string;
  /** The script's absolute path. Its shebang or extension decides which interpreter starts it. */
  readonly script: string;
  readonly args: readonly string[];
  /** The working directory, and the only place that the program may write to. */
  readonly workspace: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: boolean;
  readonly timeoutMs: number;
  /** The most bytes kept of stdout and of stderr each; further output is dropped. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the tier before the program runs. */
  readonly onTier?: ((tier: SandboxTier) => void) | undefined;
  /** Gets the kept output as it arrives. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Uint8Array) => void) | undefined;
}

export interface ProgramStream {
  readonly text: string;
  readonly truncated: boolean;
}

/** How a program ended and what it printed, or why it could not start. */
export type ProgramResult =
  | {
      readonly ok: true;
      readonly tier: SandboxTier;
      readonly reason: Exclude<EndReason, 'not-started'>;
      readonly exitCode: number | null;
      /** The limit that the program exceeded, if the sandbox ended it for that. */
      readonly exceeded?: SandboxBound | undefined;
      readonly stdout: ProgramStream;
      readonly stderr: ProgramStream;
    }
  /** Nothing ran: `sentence` says why, and what to do. */
  | { readonly ok: false; readonly sentence: string };

/** Runs scripts that do not belong to a skill, in the same sandboxes as skills. */
export interface ProgramRunner {
  /** Never rejects; when it resolves, no process of the program is left. */
  run(request: ProgramRequest): Promise<ProgramResult>;
}

/** Runs programs that do not belong to a skill, in the same sandboxes as skills. */
export function createProgramRunner(options: ProgramRunnerOptions): ProgramRunner {
  const { min, path, container, egress, limits: given, logger = silentLogger } = options;
  assertSandboxOptions({ min, container, egress, limits: given });
  const limits = { ...DEFAULT_SANDBOX_LIMITS, ...given };
  const interpreters = createInterpreters({ path });
  const tiers = createTiers(
    [...(options.sandboxes ?? []), ...createStandardSandboxes({ path, container })],
    egress === undefined ? undefined : { options: egress, logger },
  );
  const requirement = { required: min, javascript: false, contained: min !== 'process' && min !== 'inprocess' };
  return {
    async run({ directory, script, args, workspace: cwd, env, network, executionId, onTier, ...bounds }) {
      const tier = await tiers.choose(requirement);
      if (!tier.ok) return { ok: false, sentence: `No sandbox is available: ${tier.reason}` };
      const interpreter = await interpreters.forScript(script);
      if (!interpreter.ok)
        return { ok: false, sentence: `${interpreter.name} is not installed. ${interpreter.remedy}` };
      onTier?.(tier.sandbox.tier);
      const outcome = await runProgram(tier.sandbox, {
        launch: {
          executionId,
          program: interpreter.program,
          args: [...interpreter.args, ...(interpreter.direct ? [] : [script]), ...args],
          cwd,
          env,
          skillDir: directory,
          workspace: 'write',
          network,
          limits,
          channel: false,
        },
        ...bounds,
      });
      const { reason, exitCode, exceeded, stdout, stderr, cause } = outcome;
      if (reason === 'not-started') return { ok: false, sentence: `The program could not start: ${messageOf(cause)}` };
      return { ok: true, tier: tier.sandbox.tier, reason, exitCode, exceeded, stdout, stderr };
    },
  };
}
