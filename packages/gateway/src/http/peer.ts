import { BlockList, isIP } from 'node:net';
import type { Exchange } from './exchange.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers of proxies: what they pass on does not come from this machine, even if they run on it. */
const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/** What most addresses of this machine's programs are. Taking an address apart costs more than the rest of this file. */
const USUAL = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Whether an address, or `localhost`, leads nowhere but to this machine. */
export function isLoopback(host: string): boolean {
  if (USUAL.has(host)) return true;
  if (host.toLowerCase() === 'localhost') return true;
  const address = host.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:(?=\d+\.)/i, '');
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a program on this machine sent the request by itself. False where that cannot be known. */
export function isFromHere(context: Exchange): boolean {
  const { incoming } = context.env;
  const address = incoming?.socket.remoteAddress;
  if (incoming === undefined || address === undefined || !isLoopback(address)) return false;
  return FORWARDING_HEADERS.every((name) => incoming.headers[name] === undefined);
}
