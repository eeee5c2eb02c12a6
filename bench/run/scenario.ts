import type { CreateManager } from './measured-manager.ts';

/** A scenario's inputs. */
export interface Scenario {
  readonly createManager: CreateManager;
  /** The directory of skills, and the directory of its one skill. */
  readonly skillsDir: string;
  readonly skillDir: string;
  /** An empty directory for the scenario's files. */
  readonly scratchDir: string;
  /** The marker in the environment of every process that this benchmark run starts. */
  readonly mark: string;
  readonly isFull: boolean;
  /** Whether to measure execa. */
  readonly withPeers: boolean;
  /** Tells the number of steps, and when each begins. */
  readonly expectSteps: (count: number) => void;
  readonly step: (label: string) => void;
}
