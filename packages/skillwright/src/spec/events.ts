import type { Diagnostic } from './diagnostic.ts';
import type { ExecutionCode } from './execution.ts';
import type { SandboxTier } from './sandbox.ts';

/** What the reading layers tell a host while they work. Names are noun-verb; all are plain JSON. */
export type SkillwrightEvent =
  | { readonly type: 'discovery-start'; readonly sources: readonly string[] }
  | {
      readonly type: 'discovery-end';
      readonly skills: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly durationMs: number;
    }
  | { readonly type: 'skill-load'; readonly skill: string; readonly cached: boolean; readonly bytes: number }
  | {
      readonly type: 'execution-start';
      readonly executionId: string;
      readonly skill: string;
      readonly script: string;
      readonly tier: SandboxTier;
    }
  | {
      readonly type: 'execution-output';
      readonly executionId: string;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | {
      readonly type: 'execution-end';
      readonly executionId: string;
      readonly skill: string;
      readonly script: string;
      readonly tier: SandboxTier;
      readonly success: boolean;
      readonly exitCode: number;
      readonly code: ExecutionCode | null;
      readonly durationMs: number;
    };

/** Receives events synchronously; what it throws is ignored. */
export type EventListener = (event: SkillwrightEvent) => void;
