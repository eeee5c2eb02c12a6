import type { Requirement } from './requirements/requirement.ts';
import { seed000 } from './requirements/seed-000.ts';
import { seed001 } from './requirements/seed-001.ts';
import { seed002Delivery } from './requirements/seed-002-delivery.ts';
import { seed002Functional } from './requirements/seed-002-functional.ts';
import { seed003 } from './requirements/seed-003.ts';
import { seed004 } from './requirements/seed-004.ts';

/** The id of a clause that exists; anything else does not compile. */
export type RequirementId =
  | (typeof seed000)[number]['id']
  | (typeof seed001)[number]['id']
  | (typeof seed002Functional)[number]['id']
  | (typeof seed002Delivery)[number]['id']
  | (typeof seed003)[number]['id']
  | (typeof seed004)[number]['id'];

/** The number of a seed document. */
export type SeedNumber = '000' | '001' | '002' | '003' | '004';

/** The clauses of each seed, in the document's order. This annotation checks their fields. */
export const requirementsBySeed: Readonly<Record<SeedNumber, readonly Requirement[]>> = {
  '000': seed000,
  '001': seed001,
  '002': [...seed002Functional, ...seed002Delivery],
  '003': seed003,
  '004': seed004,
};

/** Every clause of every seed, in order. */
export const requirements: readonly Requirement[] = Object.values(requirementsBySeed).flat();
