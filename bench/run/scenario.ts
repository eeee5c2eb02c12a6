import type { CreateManager } from './measured-manager.ts';

/** What a scenario is given. */
export interface Scenario {
  readonly createManager: CreateManager;
  /** The directory of skills, and that of the one in it. */
  readonly skillsDir: string;
  readonly skillDir: string;
  /** An empty directory for what the scenario wants to write. */
  readonly scratchDir: string;
  /** In the environment of everything that this run of the benchmark starts. */
  readonly mark: string;
  readonly isFull: boolean;
  /** Whether execa is to be measured. */
  readonly withPeers: boolean;
  /** Says how many steps there will be, and when each begins. */
  readonly expectSteps: (count: number) => void;
  readonly step: (label: string) => void;
}
