import type { Measurements, Outcome, ScenarioName } from './results.ts';

/** What one host process is asked to measure; it travels as JSON in its first argument. */
export interface HostTask {
  readonly scenario: ScenarioName;
  readonly skillsDir: string;
  readonly skillDir: string;
  readonly scratchDir: string;
  readonly mark: string;
  readonly isFull: boolean;
  readonly withPeers: boolean;
}

/** What a host says while it works, and at its end. */
export type HostMessage =
  | { readonly kind: 'steps'; readonly count: number }
  | { readonly kind: 'step'; readonly label: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome<Measurements[ScenarioName]> };
