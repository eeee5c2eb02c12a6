import { createDiagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';
import type { SkillSourceKind } from '../../spec/skill.ts';
import type { ScanContext, ScanStep, SkillCandidate } from '../../spec/source.ts';
import { isInside } from '../real-path.ts';

export interface WalkOptions {
  readonly root: string;
  readonly source: SkillSourceKind;
  readonly plugin?: { readonly name: string; readonly root: string };
  /** Report a missing root only as a note. */
  readonly optional?: boolean;
  /** Follow links that lead out of the configured roots. */
  readonly followOutside?: boolean;
  /** If the root itself is a skill, do not search below it. */
  readonly rootIsLeaf?: boolean;
  /** How many directories were opened so far, if several walks share a limit. */
  readonly budget?: { opened: number };
}

/** A directory to search. */
export interface Place {
  readonly path: string;
  readonly name: string;
  /** The directory's path with links resolved. */
  readonly real: string;
  readonly depth: number;
  readonly groups: readonly string[];
  readonly behindLink: boolean;
}

export interface Walk extends WalkOptions {
  readonly context: ScanContext;
  readonly budget: { opened: number };
  /** Directories opened inside skills, only to name the skills there. */
  readonly namedBudget: { opened: number };
  /** Directories still to open; the next one is last. */
  readonly pending: Place[];
  /** Links still to check. They wait until everything outside of links was searched. */
  readonly unresolved: (Omit<Place, 'real' | 'path'> & { readonly parent: Place })[];
  /** Directories behind links. */
  readonly links: Place[];
  /** How many links could not be followed. */
  refusedLinks: number;
  /** Whether the last directory was a skill. */
  expectsSkill: boolean;
  /** Steps to hand out before the walk continues. */
  readonly steps: ScanStep[];
  /** Real paths of the directories opened so far. */
  readonly opened: string[];
  /** Skills found since the last batch, and a buffer for the head of each. */
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
