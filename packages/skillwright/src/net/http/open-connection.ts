import { connect, isIP, type LookupFunction, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { formatAddress, isSameAddress, parseAddress, type IpAddress } from '../address/address.ts';
import { createDeadline } from './deadline.ts';
import { checkedAddresses, type AddressGuard, type ConnectionTarget } from '../address/host-addresses.ts';
import { closedEarly } from './request-failure.ts';
import { copyRoundTrip, timeRoundTrip } from './stale-connection.ts';
import { NetworkError } from '../../spec/errors/error.ts';

export interface ConnectionOptions {
  /** Checks every address. `undefined`: the host is trusted and may resolve to any address. */
  readonly guard: AddressGuard | undefined;
  readonly timeoutMs: number;
  /** Certificates of authorities that are trusted instead of Node's own. */
  readonly ca?: readonly string[];
  /** Opens TCP connections. Default: `node:net`. */
  readonly open?: (options: TcpSocketConnectOpts) => Socket;
}

const ATTEMPT_MS = 1_000;
/** How long a connection is silent before TCP keep-alive starts: networks drop idle connections. */
export const PROBE_MS = 30_000;

/**
 * Opens a connection to a host. With a guard, it resolves the host, checks every address, connects to a checked one and
 * verifies the peer's address before it sends a byte. Only then does it start TLS, under the host's name. Leaves
 * nothing open on failure.
 */
export async function openConnection(
  target: ConnectionTarget & { readonly secure: boolean },
  signal: AbortSignal,
  options: ConnectionOptions,
): Promise<Socket> {
  const { timeoutMs } = options;
  const deadline = createDeadline({
    timeoutMs,
    timeoutError: () => connectTimeout(target, timeoutMs),
    cancelledBy: [{ signal, error: (reason) => reason as Error }],
  });
  try {
    const { guard, open = connect } = options;
    const addresses = guard && (await checkedAddresses(guard, target, deadline.signal));
    const socket = await openTcp(target, addresses, deadline.signal, open);
    if (addresses !== undefined) assertPeer(socket, target, addresses);
    return target.secure ? await openTls(socket, target.host, deadline.signal, options.ca) : socket;
  } finally {
    deadline.dispose();
  }
}

function openTcp(
  { host, port }: ConnectionTarget,
  addresses: readonly IpAddress[] | undefined,
  signal: AbortSignal,
  open: (options: TcpSocketConnectOpts) => Socket,
): Promise<Socket> {
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  const socket = open({
    port,
    ...(addresses === undefined ? { host } : pinnedTo(addresses, host)),
    autoSelectFamily: true,
    // If there are several addresses, each gets a second before the next address is tried.
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  });
  timeRoundTrip(socket);
  return untilReady(socket, 'connect', host, signal);
}

/** Resolves to these addresses only: the name is not looked up again. */
function pinnedTo(addresses: readonly IpAddress[], host: string): Pick<TcpSocketConnectOpts, 'host' | 'lookup'> {
  const pinned = addresses.map((address) => ({ address: formatAddress(address), family: address.version }));
  const lookup: LookupFunction = (_host, { all }, callback) => {
    if (all === true) callback(null, pinned);
    else callback(null, pinned[0]?.address ?? '', pinned[0]?.family);
  };
  const [first] = pinned;
  return { host: pinned.length === 1 && first !== undefined ? first.address : host, lookup };
}

function openTls(
  socket: Socket,
  host: string,
  signal: AbortSignal,
  ca: readonly string[] | undefined,
): Promise<Socket> {
  const secured = connectTls({
    socket,
    host,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
  copyRoundTrip(socket, secured);
  return untilReady(secured, 'secureConnect', host, signal);
}

/** The socket once it is ready. It is destroyed if it fails or its signal aborts. */
function untilReady(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  host: string,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener('abort', giveUp);
      socket.off(event, succeed).off('error', fail).off('close', failClosed);
    };
    const succeed = (): void => {
      settle();
      resolve(socket);
    };
    const fail = (error: Error): void => {
      settle();
      // Later errors add no information.
      socket.on('error', () => {});
      socket.destroy();
      reject(error);
    };
    const failClosed = (): void => fail(closedEarly(host));
    const giveUp = (): void => fail(signal.reason as Error);
    socket.once(event, succeed).once('error', fail).once('close', failClosed);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

function assertPeer(socket: Socket, { host, port }: ConnectionTarget, addresses: readonly IpAddress[]): void {
  const peer = parseAddress(socket.remoteAddress ?? '');
  if (peer !== undefined && addresses.some((address) => isSameAddress(address, peer))) return;
  socket.on('error', () => {});
  socket.destroy();
  const address = peer === undefined ? undefined : formatAddress(peer);
  throw new NetworkError(
    'AddressNotAllowed',
    `The connection to host '${host}' reached ${address ?? 'nobody'} instead of a checked address, so it was closed. ` +
      'A program or device on the way redirects connections.',
    { data: { host, port, ...(address === undefined ? {} : { address }) } },
  );
}

function connectTimeout({ host, port }: ConnectionTarget, timeoutMs: number): NetworkError {
  return new NetworkError(
    'RequestTimeout',
    `The connection to host '${host}' was not established within ${timeoutMs} ms. Check that it is up, or raise 'connectTimeoutMs'.`,
    { data: { host, port, timeoutMs, phase: 'connect' } },
  );
}
