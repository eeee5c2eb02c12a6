/** One entry of a package-lock.json of version 3; only what is asked about. */
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

/** Everything an install of the workspace at `path` brings along, itself left out, sorted by path. */
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

/** As Node looks it up: in the package's own `node_modules`, then in those above. */
function locate(lock: LockFile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const key = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (key in lock.packages) return key;
    if (folder === '') return undefined;
  }
}
