import { isAbsolute } from 'node:path';
import { openUserTrustStore } from '../../../sources/trust/trust-rule.ts';
import type { TrustStore } from '../../../sources/trust/trust-store.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';

/** The directories that the user trusts, from the user's own configuration and never from the project. */
export function openTrustStore(context: Pick<CliContext, 'env' | 'home' | 'platform'>): TrustStore {
  const given = context.env.SKILLWRIGHT_TRUST_FILE ?? '';
  // A chat may run for hours, and the user may edit the file meanwhile.
  if (given === '' || isAbsolute(given)) return openUserTrustStore(context, { keepsBlocks: true });
  throw usageError(`SKILLWRIGHT_TRUST_FILE must be an absolute path, not '${given}'.`, [
    'With a relative path, the working directory would decide what is trusted.',
  ]);
}

/**
 * Throws if the trust file cannot be used: any skill might be blocked, and blocked skills are neither shown nor run.
 */
export function assertTrustKnown({ file, diagnostics: [problem] }: TrustStore): void {
  if (problem === undefined) return;
  const { message, hint } = problem;
  const text = `No skill is used, because the skills that you blocked are unknown. ${message}`;
  throw new CliError('TrustFileUnusable', text, {
    hints: hint === undefined ? [] : [hint],
    data: { path: file },
    exitCode: 126,
  });
}
