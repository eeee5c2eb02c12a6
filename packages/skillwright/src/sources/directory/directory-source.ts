import { resolve } from 'node:path';
import type { SkillSourceKind } from '../../spec/skill.ts';
import type { SkillSource } from '../../spec/source.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { walkDirectory } from './directory-walk.ts';
import { isLink, realPathOf } from '../real-path.ts';

/** Options of `createDirectorySource`. */
export interface DirectorySourceOptions {
  /** The directory to search; a relative path is based on the working directory of the process. */
  readonly path: string;
  /** The kind of source. Default `additional`. */
  readonly kind?: SkillSourceKind;
  /** Unique among the sources of a catalog. Default: kind and path. */
  readonly id?: string;
  /** Report a missing directory as a note instead of a warning. Default false. */
  readonly optional?: boolean;
  /** Follow links that lead out of the configured directories. Default false. */
  readonly followOutside?: boolean;
  /** The trust that the source declares. Default `trusted`: the program that names a directory vouches for it. */
  readonly trust?: TrustLevel;
}

/** A source of the skills in a directory: directly in it, nested in groups, or the directory itself. */
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
