import type { Diagnostic } from './diagnostic.ts';

/** What the reading layers tell a host while they work. Names are noun-verb; all are plain JSON. */
export type SkillwrightEvent =
  | { readonly type: 'discovery-start'; readonly sources: readonly string[] }
  | {
      readonly type: 'discovery-end';
      readonly skills: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly durationMs: number;
    }
  | { readonly type: 'skill-load'; readonly skill: string; readonly cached: boolean; readonly bytes: number };

/** Receives events synchronously; what it throws is ignored. */
export type EventListener = (event: SkillwrightEvent) => void;
