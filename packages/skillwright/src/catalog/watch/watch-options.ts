import { SkillwrightError } from '../../spec/errors/error.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SnapshotDiff } from '../snapshot/snapshot-diff.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Options of watching for changes. */
export interface WatchOptions {
  /** Milliseconds without a change before a refresh starts. Default 100. */
  readonly debounceMs?: number | undefined;
  /**
   * Also look for changes at this interval, in milliseconds, for file systems that do not report them (network drives,
   * some mounts of virtual machines). Default: only if the system has no watches left.
   */
  readonly pollMs?: number | undefined;
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined;
}

/** The differences since the last call of the listener. */
export interface CatalogChange extends SnapshotDiff {
  /** All current diagnostics, not only new ones. */
  readonly diagnostics: readonly Diagnostic[];
  /** The current skills. */
  readonly snapshot: Snapshot;
}

/** Called after each change; errors that it throws are logged. */
export type ChangeListener = (change: CatalogChange) => unknown;

/** A running watch. It does not keep the process alive. */
export interface CatalogWatch {
  /** What cannot be watched, and how changes are noticed instead. */
  readonly diagnostics: readonly Diagnostic[];
  /** Ends the watch at once: the listener is not called again. */
  close(): void;
  [Symbol.dispose](): void;
}

const DEFAULT_DEBOUNCE_MS = 100;

/** The options with their defaults; invalid ones throw `InvalidOptions`. */
export function checkWatchOptions(
  options: WatchOptions,
  listener: unknown,
): { readonly debounceMs: number; readonly pollMs: number | undefined } {
  const { debounceMs = DEFAULT_DEBOUNCE_MS, pollMs, signal } = options;
  if (typeof listener !== 'function') throw invalid('listener', 'must be a function');
  if (!isDuration(debounceMs, 0)) throw invalid('debounceMs', 'must be milliseconds from 0 to an hour');
  if (pollMs !== undefined && !isDuration(pollMs, 1)) throw invalid('pollMs', 'must be milliseconds from 1 to an hour');
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal', 'must be an AbortSignal');
  return { debounceMs, pollMs };
}

const HOUR_MS = 3_600_000;

function isDuration(value: unknown, least: number): boolean {
  return typeof value === 'number' && value >= least && value <= HOUR_MS;
}

function invalid(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `Option '${option}' of a watch ${problem}.`, { data: { option } });
}
