import type { Kysely } from 'kysely';
import { createGround } from './0001-ground.ts';

/** One step of the schema. Steps are only ever added at the end; a step that was released never changes. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (database: Kysely<unknown>) => Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [{ version: 1, name: 'ground', up: createGround }];
