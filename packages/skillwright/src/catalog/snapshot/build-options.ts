import type { ReadingLimits } from '../../spec/limits.ts';
import type { WatchList } from '../../spec/source.ts';
import type { DecideTrust } from '../../spec/trust.ts';
import type { DiscoveryMemory } from './known-skills.ts';
import type { Snapshot } from './snapshot.ts';

/** How a snapshot is to be built. */
export interface BuildOptions {
  readonly limits: ReadingLimits;
  readonly strict: boolean;
  /** Whether other work goes on in between. */
  readonly interruptible: boolean;
  /** Whether the directories of skills are listed too. */
  readonly thorough: boolean;
  /** The host's last word on trust; without it the sources' declarations count. */
  readonly decideTrust: DecideTrust | undefined;
  /** What is known of files that have not changed; without it everything is read. */
  readonly memory?: DiscoveryMemory | undefined;
  /** Told what the snapshot depends on. */
  readonly watchList?: WatchList | undefined;
  /** What can no longer be read is kept as it was here. Without it, it is refused. */
  readonly lastGood?: Snapshot | undefined;
}
