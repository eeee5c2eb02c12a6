import { lstatSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SkillSourceKind } from '../spec/skill.ts';
import type { SkillSource } from '../spec/source.ts';
import type { TrustLevel } from '../spec/trust.ts';
import { walkDirectory } from './directory-walk.ts';

export interface DirectorySourceOptions {
  /** Directory to search; relative paths start at the working directory of the process. */
  readonly path: string;
  /** Default `additional`. */
  readonly kind?: SkillSourceKind;
  /** Unique among the sources of a catalog. Default: kind and path. */
  readonly id?: string;
  /** A missing directory is worth a note, not a warning. Default false. */
  readonly optional?: boolean;
  /** Follow links that leave the configured directories. Default false. */
  readonly followOutside?: boolean;
  /** What the source declares of its skills. Default `trusted`: whoever names a directory in code vouches for it. */
  readonly trust?: TrustLevel;
}

/** Skills in a directory: flat, nested in groups, or the directory itself. */
export function createDirectorySource(options: DirectorySourceOptions): SkillSource {
  const root = resolve(options.path);
  const kind = options.kind ?? 'additional';
  const walkOptions = {
    root,
    source: kind,
    optional: options.optional ?? false,
    followOutside: options.followOutside ?? false,
  };
  return {
    id: options.id ?? `${kind}:${root}`,
    kind,
    location: root,
    trust: options.trust ?? 'trusted',
    realRoots: () => realPathOf(root),
    sharedRoots: () => (isLink(root) ? [] : realPathOf(root)),
    scan: (context) => walkDirectory(walkOptions, context),
  };
}

/** Whether the last step of a path is a link. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The real path as a list of one, empty where there is none. */
export function realPathOf(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
