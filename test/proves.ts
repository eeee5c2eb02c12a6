import type { RequirementId } from './requirements.ts';

/**
 * Cites the clauses that a test proves. Call it first in a test body, with literal ids of clauses the
 * test would fail without. It does nothing at run time: `scripts/requirements.ts` reads the citations
 * from the sources, and the type lets no misspelt id compile.
 */
export function proves(..._ids: readonly RequirementId[]): void {}
