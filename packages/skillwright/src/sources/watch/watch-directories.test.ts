import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createDirectoryWatch,
  type DirectoryWatch,
  type DirectoryWatchOptions,
  createInterest,
  type Interest,
} from './watch-directories.ts';

interface Watching {
  readonly root: string;
  readonly directories: DirectoryWatch;
  /** Resolves at the next reported change. */
  changed(): Promise<void>;
}

function startWatching(options: Partial<DirectoryWatchOptions> = {}): Watching {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'watch-')));
  let wake = (): void => {};
  const directories = createDirectoryWatch({ onChange: () => wake(), ...options });
  onTestFinished(() => {
    directories.close();
    rmSync(root, { recursive: true, force: true });
  });
  const changed = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    return promise;
  };
  return { root, directories, changed };
}

/** `watch` on a system with a limited number of watches. */
function limitedWatch(limit: number, opened: string[]): typeof watch {
  const open = (path: string, options: object, listener: () => void): FSWatcher => {
    if (opened.length >= limit) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    opened.push(path);
    return watch(path, options, listener);
  };
  return open as typeof watch;
}

describe('a watch of directories', () => {
  it('reports a file written in any of the directories, and in a subdirectory only if the watch is recursive', async () => {
    const { root, directories, changed } = startWatching({ recursive: true });
    mkdirSync(join(root, 'a/b'), { recursive: true });
    const round = directories.begin();
    round.directory(root);
    round.directory(join(root, 'a/b'), { skillOnly: true });
    round.end();
    const change = changed();
    writeFileSync(join(root, 'a/b/SKILL.md'), 'x');
    await change;
    expect(directories.startsLate).toBe(true);
  });

  it('reports that the system has no watches left, and tries again in the next round', () => {
    const opened: string[] = [];
    const { root, directories } = startWatching({ recursive: false, watch: limitedWatch(1, opened) });
    mkdirSync(join(root, 'a'));
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const round = directories.begin();
      expect(directories.shortage).toBeUndefined();
      round.directory(root);
      round.directory(join(root, 'a'));
      round.path(join(root, 'a/b/c'));
      round.end();
      expect(directories.shortage).toBe('ENOSPC');
    }
    expect(opened).toEqual([root]);
  });

  it('opens each directory once, and none after the watch is closed', () => {
    const opened: string[] = [];
    const { root, directories } = startWatching({ recursive: false, watch: limitedWatch(100, opened) });
    for (let turn = 0; turn < 3; turn += 1) {
      const round = directories.begin();
      round.directory(root, { skillOnly: true });
      round.directory(root);
      round.path(join(root, 'not/there'));
      round.end();
    }
    expect(opened).toEqual([root]);
    directories.close();
    directories.begin().directory(root);
    expect(opened).toEqual([root]);
  });

  it('forgets directories that the next complete round does not name', () => {
    const opened: string[] = [];
    const { root, directories } = startWatching({ recursive: false, watch: limitedWatch(100, opened) });
    const nameRoot = (): void => {
      const round = directories.begin();
      round.directory(root);
      round.end();
    };
    nameRoot();
    directories.begin();
    nameRoot();
    expect(opened).toEqual([root]);
    directories.begin().end();
    nameRoot();
    expect(opened).toEqual([root, root]);
  });

  it('watches the new directory when another one has replaced a directory', async () => {
    const opened: string[] = [];
    const { root, directories, changed } = startWatching({ recursive: false, watch: limitedWatch(100, opened) });
    const place = join(root, 'a');
    const name = (): void => {
      const round = directories.begin();
      round.directory(root);
      round.directory(place);
      round.end();
    };
    mkdirSync(place);
    mkdirSync(join(root, 'next'));
    name();
    const moved = changed();
    renameSync(place, join(root, 'old'));
    renameSync(join(root, 'next'), place);
    await moved;
    name();
    // The last event may arrive after the round; then the next round checks again.
    name();
    const written = changed();
    writeFileSync(join(place, 'SKILL.md'), 'x');
    await written;
    expect(opened.filter((path) => path === place).length).toBeGreaterThanOrEqual(2);
  });

  it('continues after a watcher fails', async () => {
    const watchers: FSWatcher[] = [];
    const open = (path: string, options: object, listener: () => void): FSWatcher => {
      const watcher = watch(path, options, listener);
      watchers.push(watcher);
      return watcher;
    };
    const { root, directories, changed } = startWatching({ recursive: false, watch: open as typeof watch });
    directories.begin().directory(root);
    const change = changed();
    watchers[0]?.emit('error', new Error('gone'));
    await change;
    directories.begin().directory(root);
    expect(watchers).toHaveLength(2);
  });
});

function interestIn(what: 'skill' | 'entries', deep = false): Interest {
  const interest = createInterest(deep);
  interest.add(what);
  return interest;
}

describe('the filter of events in a watched directory', () => {
  it.each<['skill' | 'entries', string, string | null, boolean]>([
    ['skill', 'change', 'SKILL.md', true],
    ['skill', 'rename', 'skill.md', true],
    ['skill', 'rename', 'tools.json', true],
    ['skill', 'rename', 'notes.md', false],
    ['skill', 'rename', null, true],
    ['skill', 'rename', 'self', true],
    ['entries', 'rename', 'new-group', true],
    ['entries', 'change', 'README.md', false],
    ['entries', 'change', 'SKILL.md', true],
    ['entries', 'rename', 'node_modules', false],
  ])('for the kind %s, event %s of %s: reported is %s', (what, type, name, matters) => {
    expect(interestIn(what).matters(type, name, 'self')).toBe(matters);
  });

  it.each<[string, string, boolean]>([
    ['change', 'a/b/SKILL.md', true],
    ['change', 'a\\.claude-plugin\\plugin.json', true],
    ['rename', 'a/b', true],
    ['change', 'a/b/notes.md', false],
    ['rename', 'a/node_modules/x', false],
  ])('with subdirectories, event %s of %s: reported is %s', (type, name, matters) => {
    expect(interestIn('entries', true).matters(type, name, 'self')).toBe(matters);
  });

  it('may report events of a single name', () => {
    const interest = createInterest(false);
    interest.addName('skills');
    expect(interest.matters('rename', 'skills', 'self')).toBe(true);
    expect(interest.matters('rename', 'other', 'self')).toBe(false);
    expect(interest.matters('change', 'SKILL.md', 'self')).toBe(false);
  });
});
