/** Who may talk to a server: the hosts it answers for, and the origins whose pages may call it. */
export interface HostPolicy {
  /** As in a Host header, with the port unless it is the scheme's own: `localhost:4747`, `[::1]:4747`. */
  readonly hosts: readonly string[];
  /** Origins of pages besides the server's own, such as `https://app.example`. */
  readonly origins?: readonly string[];
}

/** The hosts a server on loopback answers for. */
export function loopbackHosts(port: number): string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`);
}

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z\d_](?:[a-z\d_.-]*[a-z\d_-])?)(?::\d{1,5})?$/;
const ORIGIN = /^(https?):\/\/([^/?#@\s]+)$/;

/**
 * Why a request is not answered; `undefined` if it may be. A page elsewhere can send requests to any address it knows, under
 * a name of its own that resolves there, so both headers are compared with lists and nothing is looked up. Programs send no
 * Origin.
 */
export function hostProblem(
  request: { readonly host: string | undefined; readonly origin: string | undefined },
  policy: HostPolicy,
): string | undefined {
  const hosts = policy.hosts.map((host) => host.toLowerCase());
  const host = request.host?.toLowerCase();
  if (host === undefined || !AUTHORITY.test(host)) return 'The Host header is missing or malformed.';
  if (!hosts.some((known) => isSameAuthority(known, host)))
    return `This server does not answer for the host '${host.slice(0, 80)}'. Known hosts: ${hosts.join(', ')}.`;
  if (request.origin === undefined) return undefined;
  const origin = request.origin.toLowerCase();
  const [, scheme, authority = ''] = ORIGIN.exec(origin) ?? [];
  const isOwn = scheme !== undefined && isSameAuthority(authority, host, scheme);
  const isKnown = policy.origins?.some((known) => known.toLowerCase() === origin) ?? false;
  return isOwn || isKnown ? undefined : 'Pages of another origin may not call this server.';
}

/** The same host and port. A port left out is the one of the scheme; with no scheme, both have to leave it out or say it. */
function isSameAuthority(one: string, other: string, scheme?: string): boolean {
  const standard = scheme === undefined ? '' : scheme === 'https' ? ':443' : ':80';
  const withPort = (authority: string): string => (/:\d+$/.test(authority) ? authority : `${authority}${standard}`);
  return withPort(one) === withPort(other);
}
