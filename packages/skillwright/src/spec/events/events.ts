import type { Logger } from './logger.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ExecutionCode } from '../execution.ts';
import type { ExecutionEndReason } from '../recorder.ts';
import type { SandboxTier } from '../sandbox.ts';

/**
 * An event of the library, such as a discovery or a run. Names have the form noun-verb, and all events are plain JSON.
 */
export type SkillwrightEvent =
  | { readonly type: 'discovery-start'; readonly sources: readonly string[] }
  | {
      readonly type: 'discovery-end';
      readonly skills: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly durationMs: number;
      /** The discovery was aborted or failed: its results are discarded, and this event lists none. */
      readonly incomplete?: true;
    }
  | { readonly type: 'skill-load'; readonly skill: string; readonly cached: boolean; readonly bytes: number }
  /** An event triggered a search for skills. */
  | {
      readonly type: 'skill-select';
      /** The trigger: `tool_call_error`, `task_match`, or any other. */
      readonly trigger: string;
      /** How many skills match. */
      readonly count: number;
      /** The best matches, best first. */
      readonly matches: readonly {
        readonly skill: string;
        readonly score: number;
        readonly reasons: readonly string[];
      }[];
      readonly durationMs: number;
    }
  /** Emitted once, when a skill first runs with the environment of the host's process. */
  | { readonly type: 'environment-inherit'; readonly names: readonly string[] }
  | {
      readonly type: 'execution-start';
      readonly executionId: string;
      readonly kind: 'script' | 'tool';
      readonly skill: string;
      /** The script's path, or the tool's name. */
      readonly target: string;
      /** The tier to run in; `null` if it cannot run. */
      readonly tier: SandboxTier | null;
    }
  | {
      readonly type: 'execution-output';
      readonly executionId: string;
      readonly stream: 'stdout' | 'stderr';
      /** The kept part of the output as it arrives, with secrets redacted. */
      readonly text: string;
    }
  | {
      readonly type: 'execution-end';
      readonly executionId: string;
      readonly kind: 'script' | 'tool';
      readonly skill: string;
      readonly target: string;
      readonly tier: SandboxTier | null;
      readonly reason: ExecutionEndReason;
      readonly success: boolean;
      readonly exitCode: number;
      readonly code: ExecutionCode | null;
      readonly durationMs: number;
      /** The total size of the output, including the part that was not kept. */
      readonly stdoutBytes: number;
      readonly stderrBytes: number;
    };

/** Receives events synchronously; what it throws is ignored. */
export type EventListener = (event: SkillwrightEvent) => void;

/** A listener that never throws: errors of the given listener are logged, including later rejections. */
export function guardListener(listener: EventListener | undefined, logger: Logger): EventListener {
  return (event) => {
    const warn = (error: unknown): void =>
      logger.warn('An event listener threw an error.', { event: event.type, error: String(error) });
    try {
      const told: unknown = listener?.(event);
      if (told instanceof Promise) told.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
