import { lookup } from 'node:dns/promises';
import { classifyAddress, formatAddress, parseAddress, type IpAddress } from './address.ts';
import { KIND_WORDS, type AddressKind } from './address-ranges.ts';
import { isKindOfNames, type AllowList } from '../egress/allow-list.ts';
import { untilAborted } from '../http/deadline.ts';
import { NetworkError } from '../../spec/errors/error.ts';

/** Resolves a name to all its addresses, in the order to try them. Called once for each connection. */
export type ResolveHost = (host: string, options: { readonly signal: AbortSignal }) => Promise<readonly string[]>;

/** Which hosts may be reached. */
export interface AddressGuard {
  readonly resolve: ResolveHost;
  readonly allow: AllowList;
}

/** The destination of a connection. `host` is spelled as in `parseRequestUrl`. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
}

/** The system's resolver, including its hosts file. */
export const resolveBySystem: ResolveHost = async (host) => {
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
};

/**
 * The addresses that a connection to the target may use. If one address of the host is not allowed, all are refused.
 */
export async function checkedAddresses(
  guard: AddressGuard,
  target: ConnectionTarget,
  signal: AbortSignal,
): Promise<readonly IpAddress[]> {
  const literal = parseAddress(target.host);
  const answers = literal === undefined ? await resolveName(guard, target.host, signal) : [target.host];
  if (answers.length === 0)
    throw new NetworkError('RequestFailed', `Host '${target.host}' has no address. Check the spelling.`, {
      data: { host: target.host },
    });
  return answers.map((answer) => checkAddress(guard, target, answer));
}

/** Whether a name always means this machine (RFC 6761), whatever a resolver says. */
function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

async function resolveName(guard: AddressGuard, host: string, signal: AbortSignal): Promise<readonly string[]> {
  if (isLocalhost(host)) return ['127.0.0.1', '::1'];
  return untilAborted(guard.resolve(host, { signal }), signal);
}

function checkAddress({ allow }: AddressGuard, target: ConnectionTarget, answer: string): IpAddress {
  const address = parseAddress(answer);
  if (address === undefined)
    throw new NetworkError(
      'AddressNotAllowed',
      `Host '${target.host}' resolves to an invalid address, which cannot be checked, so the request was refused.`,
      { data: { host: target.host, port: target.port } },
    );
  const kind = classifyAddress(address);
  if (kind === 'public' || allow.permits(target, address, kind)) return address;
  throw addressNotAllowed(target, address, kind);
}

function addressNotAllowed(
  target: ConnectionTarget,
  address: IpAddress,
  kind: Exclude<AddressKind, 'public'>,
): NetworkError {
  const { host, port } = target;
  const text = formatAddress(address);
  const literal = address.version === 6 ? `[${text}]` : text;
  const isName = parseAddress(host) === undefined;
  const entry = `${isName && isKindOfNames(kind) ? host : literal}:${port}`;
  return new NetworkError(
    'AddressNotAllowed',
    `Host '${host}' ${isName ? `resolves to ${text}` : `is ${text}`}, which is ${KIND_WORDS[kind]}. ` +
      `Only public addresses are allowed. To allow this one, add '${entry}' to the client's 'allow' list.`,
    { data: { host, port, address: text, kind } },
  );
}
