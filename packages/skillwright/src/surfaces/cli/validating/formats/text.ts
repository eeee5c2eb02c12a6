import { amount, describeCounts, findingLines } from '../findings.ts';
import type { Output } from '../../output.ts';
import type { ValidationReport } from './validation-report.ts';

/** A line per finding, `path:line severity code message`, with a blank line between files; then the sum. */
export function textLines(output: Output, { skills, findings, counts }: ValidationReport): string[] {
  const lines = findings.flatMap((finding, index) => {
    const isNewFile = index > 0 && findings[index - 1]?.path !== finding.path;
    return [...(isNewFile ? [''] : []), ...findingLines(output, finding)];
  });
  return [...lines, ...(lines.length === 0 ? [] : ['']), summary(output, amount(skills, 'skill'), counts)];
}

function summary(output: Output, checked: string, counts: ValidationReport['counts']): string {
  const found = describeCounts(counts);
  if (found === '') return `${output.style('good', '✓')} ${checked} checked, no problems`;
  if (counts.errors > 0) return `${output.style('error', '✗')} ${checked} checked: ${found}`;
  return `${output.style('good', '✓')} ${checked} checked: no errors, ${found}`;
}
