import type { Measurements, Outcome, ScenarioName } from './results.ts';

/** The scenario that one host process measures, passed as JSON in its first argument. */
export interface HostTask {
  readonly scenario: ScenarioName;
  readonly skillsDir: string;
  readonly skillDir: string;
  readonly scratchDir: string;
  readonly mark: string;
  readonly isFull: boolean;
  readonly withPeers: boolean;
}

/** A host's messages during its work and at its end. */
export type HostMessage =
  | { readonly kind: 'steps'; readonly count: number }
  | { readonly kind: 'step'; readonly label: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome<Measurements[ScenarioName]> };
