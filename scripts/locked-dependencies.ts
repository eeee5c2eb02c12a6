/** The part of a package-lock.json entry (version 3) that is used here. */
interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedDependency extends LockedPackage {
  /** Its key in the lock file, such as `node_modules/js-yaml`. */
  readonly path: string;
}

/** All dependencies that an install of the workspace at `path` adds, without the workspace itself, sorted by path. */
export function lockedDependencies(lock: LockFile, path: string): LockedDependency[] {
  const found = new Map<string, LockedPackage>();
  const visit = (from: string): void => {
    for (const name of wantedBy(lock.packages[from] ?? {})) {
      const target = locate(lock, from, name);
      if (target === undefined || found.has(target)) continue;
      found.set(target, lock.packages[target] ?? {});
      visit(target);
    }
  };
  visit(path);
  return [...found].map(([key, locked]) => ({ ...locked, path: key })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function wantedBy(locked: LockedPackage): string[] {
  const peers = Object.keys(locked.peerDependencies ?? {});
  return [
    ...Object.keys(locked.dependencies ?? {}),
    ...Object.keys(locked.optionalDependencies ?? {}),
    ...peers.filter((name) => locked.peerDependenciesMeta?.[name]?.optional !== true),
  ];
}

/** Resolves like Node: first in the package's own `node_modules`, then in those above. */
function locate(lock: LockFile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const key = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (key in lock.packages) return key;
    if (folder === '') return undefined;
  }
}
