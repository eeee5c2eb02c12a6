import { isInRange, parseRange, type AddressRange, type IpAddress } from '../address/address.ts';
import type { AddressKind } from '../address/address-ranges.ts';
import { canonicalHost } from '../http/request-url.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';

/** The operator's exceptions: hosts and addresses that may be reached although they are not public. */
export interface AllowList {
  permits(target: { readonly host: string; readonly port: number }, address: IpAddress, kind: AddressKind): boolean;
}

interface AllowEntry {
  readonly range?: AddressRange;
  readonly host?: string;
  /** The only port that is allowed. Default: every port. */
  readonly port?: number;
}

/**
 * The kinds of addresses that an allowed name may resolve to. The name's DNS server picks the address, so metadata
 * services and similar addresses must be allowed by address.
 */
const KINDS_OF_NAMES: ReadonlySet<AddressKind> = new Set(['loopback', 'private', 'shared']);

/** Whether an allowed name may resolve to this kind of address. */
export function isKindOfNames(kind: AddressKind): boolean {
  return KINDS_OF_NAMES.has(kind);
}

/** Entries are `host`, `host:port`, an address, `address:port`, `[v6]:port`, `10.0.0.0/8` or `[fd00::/8]:443`. */
export function createAllowList(entries: readonly string[]): AllowList {
  if (!Array.isArray(entries)) throw invalid("Option 'allow' must be a list of hosts, addresses and ranges.");
  const parsed = entries.map(parseEntry);
  return {
    permits: (target, address, kind) =>
      parsed.some(
        ({ range, host, port }) =>
          (port === undefined || port === target.port) &&
          (range === undefined ? host === target.host && isKindOfNames(kind) : isInRange(address, range)),
      ),
  };
}

const ENTRY = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;

function parseEntry(entry: unknown): AllowEntry {
  if (typeof entry !== 'string') throw invalid(`Option 'allow' must contain only strings, not ${typeof entry}.`);
  const bare = parseRange(entry);
  if (bare !== undefined) return { range: bare };
  const [, bracketed, plain, portText] = ENTRY.exec(entry) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  const subject = bracketed ?? plain;
  if (subject === undefined || port === 0 || (port !== undefined && port > 65_535)) throw invalidEntry(entry);
  const onPort = port === undefined ? {} : { port };
  const range = parseRange(subject);
  if (range !== undefined) return { range, ...onPort };
  const host = bracketed === undefined && !subject.includes('/') ? canonicalHost(subject) : undefined;
  if (host === undefined) throw invalidEntry(entry);
  // Accepts other spellings of an address: 0x7f.1 means 127.0.0.1.
  const spelt = parseRange(host);
  return spelt === undefined ? { host, ...onPort } : { range: spelt, ...onPort };
}

function invalidEntry(entry: string): SkillwrightError {
  return invalid(
    `Option 'allow' has the entry ${JSON.stringify(entry)}, which is not a host, address or range. ` +
      "Write 'intranet.example', '127.0.0.1:8080', '[::1]:8080' or '10.0.0.0/8' (with no bits after the prefix).",
  );
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', message, { data: { option: 'allow' } });
}
