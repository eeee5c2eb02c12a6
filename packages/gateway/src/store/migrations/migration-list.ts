import type { Kysely } from 'kysely';
import { createGround } from './0001-ground.ts';
import { createRegistryTables } from './0002-registry.ts';
import { createManagement } from './0003-management.ts';
import { createTraces } from './0004-traces.ts';

/** One step that changes the schema. New steps go at the end; a released step never changes. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (database: Kysely<unknown>) => Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'ground', up: createGround },
  { version: 2, name: 'registry', up: createRegistryTables },
  { version: 3, name: 'management', up: createManagement },
  { version: 4, name: 'traces', up: createTraces },
];
