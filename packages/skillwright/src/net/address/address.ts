import { isIPv4, isIPv6 } from 'node:net';
import { SPECIAL_RANGES, type AddressKind } from './address-ranges.ts';

/** An address as a number. An IPv4 address written inside IPv6 (`::ffff:a.b.c.d`) counts as the IPv4 address. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** All addresses that share their first `bits` bits. */
export interface AddressRange extends IpAddress {
  readonly bits: number;
}

const MAPPED_PREFIX = 0xffffn;
const LOW_32 = 0xffff_ffffn;
const DECIMAL = /^\d{1,3}$/;

/** Parses a plain address. `undefined` for anything else: names, octal or short forms, zone ids, brackets. */
export function parseAddress(text: string): IpAddress | undefined {
  const address = parseAsWritten(text);
  return address === undefined ? undefined : withoutMapping(address);
}

/**
 * Parses `10.0.0.0/8`, or a single address as a range of one address. `undefined` if the text is neither, or if the
 * range has bits set beyond its prefix.
 */
export function parseRange(text: string): AddressRange | undefined {
  const [first = '', prefix, ...rest] = text.split('/');
  const address = parseAsWritten(first);
  if (address === undefined || rest.length > 0) return undefined;
  const width = widthOf(address);
  if (prefix === undefined) {
    const plain = withoutMapping(address);
    return { ...plain, bits: widthOf(plain) };
  }
  if (!DECIMAL.test(prefix) || Number(prefix) > width) return undefined;
  const bits = Number(prefix);
  const isMapped = address.version === 6 && address.value >> 32n === MAPPED_PREFIX && bits >= 96;
  const range = isMapped ? { ...withoutMapping(address), bits: bits - 96 } : { ...address, bits };
  return hostBits(range) === 0n ? range : undefined;
}

export function isInRange(address: IpAddress, range: AddressRange): boolean {
  if (address.version !== range.version) return false;
  const shift = BigInt(widthOf(range) - range.bits);
  return address.value >> shift === range.value >> shift;
}

export function isSameAddress(one: IpAddress, other: IpAddress): boolean {
  return one.version === other.version && one.value === other.value;
}

/**
 * The purpose of an address. Any kind except `public` leads to an internal network, to nothing, or to several machines.
 */
export function classifyAddress(address: IpAddress): AddressKind {
  const found = RANGES.find(({ range }) => isInRange(address, range));
  if (found?.kind === 'translated') return classifyAddress({ version: 4, value: address.value & LOW_32 });
  if (found !== undefined) return found.kind;
  // In IPv6, only 2000::/3 has been assigned.
  return address.version === 4 || address.value >> 125n === 1n ? 'public' : 'reserved';
}

/** The address as text, in IPv4 form for IPv4. */
export function formatAddress(address: IpAddress): string {
  if (address.version === 4) return groupsOf(address.value, 4, 8n).join('.');
  return groupsOf(address.value, 8, 16n)
    .map((group) => group.toString(16))
    .join(':');
}

function groupsOf(value: bigint, count: number, size: bigint): number[] {
  const mask = (1n << size) - 1n;
  return Array.from({ length: count }, (_, index) => Number((value >> (BigInt(count - 1 - index) * size)) & mask));
}

function widthOf(address: IpAddress): number {
  return address.version === 4 ? 32 : 128;
}

function hostBits(range: AddressRange): bigint {
  return range.value & ((1n << BigInt(widthOf(range) - range.bits)) - 1n);
}

function withoutMapping(address: IpAddress): IpAddress {
  const isMapped = address.version === 6 && address.value >> 32n === MAPPED_PREFIX;
  return isMapped ? { version: 4, value: address.value & LOW_32 } : address;
}

function parseAsWritten(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { version: 4, value: joined(text.split('.').map(Number), 8n) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const before = groupsIn(head);
  if (tail === undefined) return { version: 6, value: joined(before, 16n) };
  const after = groupsIn(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return { version: 6, value: joined([...before, ...zeros, ...after], 16n) };
}

/** The 16-bit groups between colons; a group in IPv4 form counts as two. */
function groupsIn(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const value = joined(group.split('.').map(Number), 8n);
    return [Number(value >> 16n), Number(value & 0xffffn)];
  });
}

function joined(groups: readonly number[], size: bigint): bigint {
  return groups.reduce((value, group) => (value << size) | BigInt(group), 0n);
}

const RANGES: readonly { readonly range: AddressRange; readonly kind: AddressKind | 'translated' }[] =
  SPECIAL_RANGES.flatMap(([text, kind]) => {
    const range = parseRange(text);
    return range === undefined ? [] : [{ range, kind }];
  });
