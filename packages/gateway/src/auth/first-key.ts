import { isLoopback } from '../http/peer.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { SCOPES } from '../store/api-key-table.ts';
import type { KeyRing } from './key-ring.ts';
import { isKeyText, KEY_START } from './key-text.ts';

export interface FirstKeyOptions {
  /** Where the gateway will listen. */
  readonly host: string;
  /** A key that the operator chose, from the environment. */
  readonly adminToken?: string | undefined;
}

/**
 * Takes in the operator's key, and throws where others could reach the gateway and there is no key: none is made there, because
 * nobody would read what is printed.
 */
export async function checkFirstKey(keys: KeyRing, { host, adminToken }: FirstKeyOptions): Promise<void> {
  if (adminToken !== undefined && adminToken !== '') {
    assertKeyText(adminToken);
    await keys.adopt(adminToken, { name: 'admin (environment)', scopes: SCOPES });
  }
  if (!isLoopback(host) && !(await keys.hasAny())) throw keysRequired(host);
}

/** Makes a key that may do everything where there is none, and returns it. Only for a gateway that is sure to tell it. */
export async function makeFirstKey(keys: KeyRing): Promise<string | undefined> {
  if (await keys.hasAny()) return undefined;
  return (await keys.create({ name: 'admin', scopes: SCOPES })).secret;
}

function assertKeyText(token: string): void {
  if (isKeyText(token)) return;
  const message = `SKILLWRIGHT_ADMIN_TOKEN must be ${KEY_START} and then 22 or more letters, digits, dashes and underscores, all random.`;
  throw new GatewayError('InvalidConfiguration', message, { data: { variable: 'SKILLWRIGHT_ADMIN_TOKEN' } });
}

function keysRequired(host: string): GatewayError {
  const message = `${host} can be reached from other machines, and there is no API key yet. Start once on 127.0.0.1 and keep the admin token it prints, or set SKILLWRIGHT_ADMIN_TOKEN.`;
  return new GatewayError('KeysRequired', message, { data: { host } });
}
