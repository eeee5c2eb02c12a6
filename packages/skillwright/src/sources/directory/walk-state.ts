import { createDiagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';
import type { SkillSourceKind } from '../../spec/skill.ts';
import type { ScanContext, ScanStep, SkillCandidate } from '../../spec/source.ts';
import { isInside } from '../real-path.ts';

export interface WalkOptions {
  readonly root: string;
  readonly source: SkillSourceKind;
  readonly plugin?: { readonly name: string; readonly root: string };
  /** A missing root is worth a note only. */
  readonly optional?: boolean;
  /** Follow links that leave the configured roots. */
  readonly followOutside?: boolean;
  /** A root that is a skill itself holds no further skills. */
  readonly rootIsLeaf?: boolean;
  /** Directories opened so far, where several walks share one limit. */
  readonly budget?: { opened: number };
}

/** A directory to look into. */
export interface Place {
  readonly path: string;
  readonly name: string;
  /** The same directory once links are resolved. */
  readonly real: string;
  readonly depth: number;
  readonly groups: readonly string[];
  readonly behindLink: boolean;
}

export interface Walk extends WalkOptions {
  readonly context: ScanContext;
  readonly budget: { opened: number };
  /** Directories still to open, the next one last. */
  readonly pending: Place[];
  /** Links not looked at yet. They wait until everything that is not behind a link has been seen. */
  readonly unresolved: (Omit<Place, 'real' | 'path'> & { readonly parent: Place })[];
  /** Directories behind links. */
  readonly links: Place[];
  /** How many links could not be followed. */
  refusedLinks: number;
  /** Whether the last directory was a skill. */
  expectsSkill: boolean;
  /** Steps to hand out before the walk goes on. */
  readonly steps: ScanStep[];
  /** Real paths of the directories opened so far. */
  readonly opened: string[];
  /** Skills found since the last batch was handed out, and a buffer for the head of each. */
  batch: SkillCandidate[];
  readonly buffers: Buffer[];
}

/** Whether a link may lead to this real path. */
export function mayFollow(walk: Walk, real: string): boolean {
  return walk.followOutside === true || walk.context.allowedRoots.some((root) => isInside(real, root));
}

export function linkOutside(path: string, real: string): ScanStep {
  return problem('link-outside', path, `The link ${path} points to ${real}, outside the configured directories.`);
}

export function problem(code: DiagnosticCode, path: string, message: string): ScanStep {
  return { type: 'diagnostic', diagnostic: createDiagnostic(code, { path, message }) };
}
