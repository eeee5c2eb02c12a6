import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemorySource } from '../../sources/memory-source.ts';
import { createDirectoryWatch } from '../../sources/watch/watch-directories.ts';
import { DEFAULT_LIMITS } from '../../spec/limits.ts';
import { silentLogger } from '../../spec/events/logger.ts';
import { createCatalog } from '../catalog.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { createCatalogWatcher } from './watch-session.ts';

/** A snapshot of skills with these names. */
function snapshotOf(...names: readonly string[]): Snapshot {
  const skills = names.map((name) => ({
    directory: name,
    files: { 'SKILL.md': `---\nname: ${name}\ndescription: Does ${name}.\n---\n` },
  }));
  const sources = [createMemorySource(skills)];
  const emit = (): void => {};
  const options = { sources, limits: DEFAULT_LIMITS, strict: false, thorough: false, logger: silentLogger, emit };
  return createCatalog(options).refreshSync();
}

describe('a watch on a system that has no watches left', () => {
  it('reports the problem, and polls instead', async () => {
    const snapshots = [snapshotOf('a'), snapshotOf('a', 'b')];
    const watcher = createCatalogWatcher({
      location: '/skills',
      logger: silentLogger,
      refresh: async (watchList) => {
        watchList.directory('/');
        return (snapshots.length > 1 ? snapshots.shift() : snapshots[0]) as Snapshot;
      },
      watchDirectories: (options) =>
        createDirectoryWatch({
          ...options,
          watch: () => {
            throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
          },
        }),
    });
    onTestFinished(() => watcher.close());
    const told = Promise.withResolvers<readonly string[]>();
    const watch = await watcher.subscribe({}, ({ added, diagnostics }) =>
      told.resolve([...added.map(({ name }) => name), ...diagnostics.map(({ code }) => code)]),
    );
    expect(watch.diagnostics).toMatchObject([{ code: 'watch-limited', severity: 'warning', path: '/skills' }]);
    expect(await told.promise).toEqual(['b', 'watch-limited']);
  });
});

describe('a watch that is aborted while it starts', () => {
  it('rejects with the reason, and stops discovering', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const watcher = createCatalogWatcher({
      location: '/skills',
      logger: silentLogger,
      refresh: (_, signal) => {
        started.resolve(signal);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
    });
    const abort = new AbortController();
    const watching = watcher.subscribe({ signal: abort.signal }, () => {});
    const signal = await started.promise;
    const reason = new Error('no longer wanted');
    abort.abort(reason);
    await expect(watching).rejects.toBe(reason);
    expect(signal.aborted).toBe(true);
    expect(watcher.isActive).toBe(false);
  });
});
