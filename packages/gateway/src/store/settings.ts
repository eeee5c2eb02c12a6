import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { Tables } from './schema.ts';

/** Settings that an operator can change while the gateway runs. */
export interface GatewaySettings {
  /** The master switch: if it is off, no skill is offered or run. Default true. */
  readonly skillsEnabled: boolean;
  /** Whether models may call skills that are not built-ins. Default true. */
  readonly customSkillExecutionEnabled: boolean;
  /** Whether traces also keep the input and output of tools. Default false. */
  readonly traceContent: boolean;
}

/** The schema of each setting, without its default. Changes are validated against it, too. */
export const SETTING_FIELDS: {
  readonly [Name in keyof GatewaySettings]: z.ZodType<GatewaySettings[Name]>;
} = {
  skillsEnabled: z.boolean().describe('The master switch. If it is off, skills are neither shown to models nor run.'),
  customSkillExecutionEnabled: z.boolean().describe('Whether models may call skills other than built-ins.'),
  traceContent: z.boolean().describe('Whether traces also keep the inputs and outputs of tools.'),
};

const DEFAULTS: GatewaySettings = { skillsEnabled: true, customSkillExecutionEnabled: true, traceContent: false };

const SETTINGS = z.object(SETTING_FIELDS);

export interface Settings {
  /** The current settings, from memory. */
  readonly current: GatewaySettings;
  /** Stores these settings and keeps the others. */
  update(values: Partial<GatewaySettings>): Promise<GatewaySettings>;
}

export async function loadSettings(table: SettingTable, now: Clock): Promise<Settings> {
  let current = await readSettings(table);
  return {
    get current() {
      return current;
    },
    update: async (values) => {
      await table.write(values, now());
      current = await readSettings(table);
      return current;
    },
  };
}

async function readSettings(table: SettingTable): Promise<GatewaySettings> {
  const { data, error } = SETTINGS.safeParse({ ...DEFAULTS, ...(await table.readAll()) });
  if (data !== undefined) return Object.freeze(data);
  const names = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new GatewayError('StoreCorrupt', `The database holds invalid settings: ${names}.`, {
    data: { settings: names },
  });
}

/** Stores settings by name without checking them. Readers must check the values. */
export interface SettingTable {
  /** Every setting that was ever stored. */
  readAll(): Promise<Readonly<Record<string, unknown>>>;
  /** Stores these settings and keeps the others, in one transaction. */
  write(values: Readonly<Record<string, unknown>>, now: number): Promise<void>;
}

export function createSettingTable(database: Kysely<Tables>): SettingTable {
  return {
    readAll: async () => {
      const rows = await database.selectFrom('settings').select(['name', 'value']).execute();
      return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]));
    },

    write: async (values, now) => {
      const rows = Object.entries(values).map(([name, value]) => ({
        name,
        value: JSON.stringify(value),
        updatedAt: now,
      }));
      if (rows.length === 0) return;
      await database
        .insertInto('settings')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((set) => ({
            value: set.ref('excluded.value'),
            updatedAt: set.ref('excluded.updatedAt'),
          })),
        )
        .execute();
    },
  };
}
