import type { EvalReport } from '../../../select/evaluation/report.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { amount } from '../validating/findings.ts';
import type { OptionValues } from '../option-values.ts';
import { readShare } from './skill-ranking.ts';

/** The thresholds of an evaluation, as shares from 0 to 1. */
export interface EvalThresholds {
  readonly recallAt5: number;
  readonly skillRecallAt5: number;
  readonly maxFalsePositives: number;
}

export function readThresholds(options: OptionValues): EvalThresholds {
  return {
    recallAt5: readShare(options, 'threshold', 0.9),
    skillRecallAt5: readShare(options, 'skill-threshold', 0.7),
    maxFalsePositives: readShare(options, 'max-false-positives', 0.25),
  };
}

/** Why an evaluation fails, one sentence for each reason; empty if it passes. */
export function failuresOf(
  report: EvalReport,
  diagnostics: readonly Diagnostic[],
  thresholds: EvalThresholds,
): string[] {
  const { recallAt5, falsePositives } = report;
  const failures: string[] = [];
  if (report.shouldTrigger + report.shouldNotTrigger === 0)
    failures.push('Nothing was measured, because no query was run. The notes give the reasons.');
  if (isBelow(recallAt5, thresholds.recallAt5))
    failures.push(
      `Recall@5 is ${precisely(recallAt5)} in all, below the --threshold of ${precisely(thresholds.recallAt5)}.`,
    );
  for (const { name, recallAt5: own } of report.skills)
    if (isBelow(own, thresholds.skillRecallAt5))
      failures.push(
        `Recall@5 of ${name} is ${precisely(own)}, below the --skill-threshold of ${precisely(thresholds.skillRecallAt5)}.`,
      );
  if (falsePositives.rate !== null && falsePositives.rate > thresholds.maxFalsePositives)
    failures.push(
      `${precisely(falsePositives.rate)} of the queries that should not trigger are sure false positives, above the --max-false-positives of ${precisely(thresholds.maxFalsePositives)}.`,
    );
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) failures.push(`${amount(errors, 'error')} in the trigger sets.`);
  return failures;
}

function isBelow(share: number | null, least: number): share is number {
  return share !== null && share < least;
}

/** Uses as many digits as needed to show the difference. */
function precisely(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
