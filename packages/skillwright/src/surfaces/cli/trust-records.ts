import { isAbsolute } from 'node:path';
import { trustFileLocation } from '../../sources/trust-location.ts';
import { createTrustStore, type TrustStore } from '../../sources/trust-store.ts';
import type { DecideTrust } from '../../spec/trust.ts';
import { CliError, usageError } from './cli-error.ts';
import type { CliContext } from './context.ts';

/** What the person at the command line trusts, from their own configuration: never from the project. */
export function openTrustStore(context: Pick<CliContext, 'env' | 'home' | 'platform'>): TrustStore {
  const given = context.env.SKILLWRIGHT_TRUST_FILE;
  if (given === undefined || given === '') return createTrustStore(trustFileLocation(context), { home: context.home });
  if (isAbsolute(given)) return createTrustStore(given, { home: context.home });
  throw usageError(`SKILLWRIGHT_TRUST_FILE must be an absolute path, not '${given}'.`, [
    'A relative one would let the directory you stand in decide what is trusted.',
  ]);
}

/** Places that were found are trusted if that is recorded. */
export function trustFound(store: TrustStore): DecideTrust {
  return ({ realDir }) => store.levelOf(realDir) ?? 'untrusted';
}

/**
 * Places that a person named on the command line are trusted, unless they are blocked. While the records cannot be used
 * nobody knows whether they are, so they are untrusted.
 */
export function trustNamed(store: TrustStore): DecideTrust {
  return ({ realDir }) => store.levelOf(realDir) ?? 'trusted';
}

/** Refuses to go on where anything might be blocked: what is blocked must not run in any tier. */
export function assertTrustKnown({ file, diagnostics: [problem] }: TrustStore): void {
  if (problem === undefined) return;
  const { message, hint } = problem;
  const text = `Nothing is run, because it cannot be told what you blocked. ${message}`;
  throw new CliError('TrustFileUnusable', text, {
    hints: hint === undefined ? [] : [hint],
    data: { path: file },
    exitCode: 126,
  });
}
