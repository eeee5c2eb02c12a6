import { describe, expect, it } from 'vitest';
import type { EvalReport } from '../../../select/evaluation/report.ts';
import { createDiagnostic, type Diagnostic, type Severity } from '../../../spec/diagnostics/diagnostic.ts';
import { failuresOf } from './eval-verdict.ts';

const thresholds = { recallAt5: 0.9, skillRecallAt5: 0.7, maxFalsePositives: 0.25 };

function report(recallAt5: number | null, rate: number | null, skill: number | null = null): EvalReport {
  const skills = [{ name: 'a', recallAt5: skill }];
  const counts = { shouldTrigger: recallAt5 === null ? 0 : 1_000, shouldNotTrigger: rate === null ? 0 : 100 };
  return { ...counts, recallAt5, falsePositives: { rate }, skills } as unknown as EvalReport;
}

describe('failuresOf', () => {
  it('passes a report that meets its thresholds exactly, or has queries of only one kind', () => {
    expect(failuresOf(report(0.9, 0.25, 0.7), [], thresholds)).toEqual([]);
    expect(failuresOf(report(0.9, null), [], thresholds)).toEqual([]);
    expect(failuresOf(report(null, 0.25), [], thresholds)).toEqual([]);
  });

  it('fails if nothing was measured', () => {
    expect(failuresOf(report(null, null), [], thresholds)).toEqual([
      'Nothing was measured, because no query was run. The notes give the reasons.',
    ]);
  });

  it('names every missed threshold', () => {
    expect(failuresOf(report(0.899, 0.26, 0.5), [], thresholds)).toEqual([
      'Recall@5 is 89.9 % in all, below the --threshold of 90 %.',
      'Recall@5 of a is 50 %, below the --skill-threshold of 70 %.',
      '26 % of the queries that should not trigger are sure false positives, above the --max-false-positives of 25 %.',
    ]);
  });

  it('fails for errors in the sets, not for warnings', () => {
    const finding = (severity: Severity): Diagnostic[] => [
      createDiagnostic('trigger-case', { severity, path: 'x', message: 'x' }),
    ];
    expect(failuresOf(report(1, 0), finding('warning'), thresholds)).toEqual([]);
    expect(failuresOf(report(1, 0), finding('error'), thresholds)).toEqual(['1 error in the trigger sets.']);
  });
});
