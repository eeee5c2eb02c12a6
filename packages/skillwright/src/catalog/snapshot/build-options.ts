import type { ReadingLimits } from '../../spec/limits.ts';
import type { WatchList } from '../../spec/source.ts';
import type { DecideTrust } from '../../spec/trust.ts';
import type { DiscoveryMemory } from './known-skills.ts';
import type { Snapshot } from './snapshot.ts';

/** How to build a snapshot. */
export interface BuildOptions {
  readonly limits: ReadingLimits;
  readonly strict: boolean;
  /** Whether the build pauses to let other work run. */
  readonly interruptible: boolean;
  /** Whether to list the directories of skills too. */
  readonly thorough: boolean;
  /** The host's decision on trust; without it, the sources' declarations count. */
  readonly decideTrust: DecideTrust | undefined;
  /** What is known about unchanged files; without it, everything is read. */
  readonly memory?: DiscoveryMemory | undefined;
  /** Collects the files and directories that the snapshot depends on. */
  readonly watchList?: WatchList | undefined;
  /** The snapshot from which a skill that can no longer be read is kept. Without it, such a skill is refused. */
  readonly lastGood?: Snapshot | undefined;
}
