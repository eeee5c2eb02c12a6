import { hash, randomBytes } from 'node:crypto';

export const KEY_START = 'sk-sw-';
/** 256 random bits. */
const KEY_BYTES = 32;
/** Of the random part, how much people see. */
const SHOWN = 6;
/** 128 bits in the 64 characters of base64url. */
const KEY_PATTERN = /^sk-sw-[\w-]{22,200}$/;

/** A new key. Nobody but its owner ever sees it again. */
export function generateKey(): string {
  return `${KEY_START}${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** Whether a text can be a key of a gateway at all; keys of providers cannot. */
export function isKeyText(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** What is stored in place of the key. Keys are random enough that no slow hash is needed. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

export function shownPrefix(key: string): string {
  return key.slice(0, KEY_START.length + SHOWN);
}
