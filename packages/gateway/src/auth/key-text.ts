import { hash, randomBytes } from 'node:crypto';

export const KEY_START = 'sk-sw-';
/** The size of a key in bytes: 256 random bits. */
const KEY_BYTES = 32;
/** How many characters of the random part people see. */
const SHOWN = 6;
/** Matches keys with at least 128 bits as base64url. */
const KEY_PATTERN = /^sk-sw-[\w-]{22,200}$/;

/** Generates a key. Only its owner ever sees it. */
export function generateKey(): string {
  return `${KEY_START}${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** Whether a text has the form of a gateway key. Keys of providers do not. */
export function isKeyText(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** The hash that is stored in place of the key. Keys are random enough that no slow hash is needed. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

export function shownPrefix(key: string): string {
  return key.slice(0, KEY_START.length + SHOWN);
}
