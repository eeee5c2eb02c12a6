import { isLoopback } from '../config/loopback.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { SCOPES } from '../store/tables/api-key-table.ts';
import type { KeyRing } from './key-ring.ts';
import { isKeyText, KEY_START } from './key-text.ts';

export interface FirstKeyOptions {
  /** Where the gateway will listen. */
  readonly host: string;
  /** A key that the operator chose, from the environment. */
  readonly adminToken?: string | undefined;
}

/**
 * Checks the operator's key. Throws if other machines could reach the gateway and no key exists: none is created then,
 * because nobody would read the printed secret.
 */
export async function checkFirstKey(keys: KeyRing, { host, adminToken }: FirstKeyOptions): Promise<void> {
  if (adminToken !== undefined && adminToken !== '') {
    assertKeyText(adminToken);
    await keys.adopt(adminToken, { name: 'admin (environment)', scopes: SCOPES });
  }
  if (!isLoopback(host) && !(await keys.hasAny())) throw keysRequired(host);
}

/** The secrets of the keys made at a first start. */
export interface FirstKeys {
  /** A key that may do everything. */
  readonly admin: string;
  /** A key for a first app, which may use models and nothing else. */
  readonly app: string;
}

/** Makes the first keys if none exist, and returns them. Call it only if the gateway is sure to show them. */
export async function makeFirstKeys(keys: KeyRing): Promise<FirstKeys | undefined> {
  if (await keys.hasAny()) return undefined;
  const admin = await keys.create({ name: 'admin', scopes: SCOPES });
  try {
    const app = await keys.create({ name: 'first app', scopes: ['proxy'] });
    return { admin: admin.secret, app: app.secret };
  } catch (error) {
    // Nobody has seen this key, so it must not prevent the next start from making a first key.
    await keys.revoke(admin.key.id);
    throw error;
  }
}

function assertKeyText(token: string): void {
  if (isKeyText(token)) return;
  const message = `SKILLWRIGHT_ADMIN_TOKEN must be ${KEY_START} followed by at least 22 random letters, digits, dashes or underscores.`;
  throw new GatewayError('InvalidConfiguration', message, { data: { variable: 'SKILLWRIGHT_ADMIN_TOKEN' } });
}

function keysRequired(host: string): GatewayError {
  const message = `Other machines can reach ${host}, and there is no API key yet. Start once on 127.0.0.1 and save the admin token that it prints, or set SKILLWRIGHT_ADMIN_TOKEN.`;
  return new GatewayError('KeysRequired', message, { data: { host } });
}
