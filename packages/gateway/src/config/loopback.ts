import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Common loopback addresses. They are compared as text, because parsing an address is much slower. */
const USUAL = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Whether an address, or `localhost`, is loopback. */
export function isLoopback(host: string): boolean {
  if (USUAL.has(host)) return true;
  if (host.toLowerCase() === 'localhost') return true;
  const address = host.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:(?=\d+\.)/i, '');
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
