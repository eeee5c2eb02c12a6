/** Matches a version at the end of a base URL, which overrides the version in the client's path. */
const VERSION = /\/v\d\w*$/;

/**
 * Maps the gateway's paths to the upstream's. Formats put their endpoints below a version (`/v1/messages`) or below a
 * base URL that includes it (`/chat/completions`). Configured base URLs end in a version, the whole endpoint, or
 * neither.
 */
export function createPathFor(basePath: string, endpoint: string): (path: string) => string {
  const trimmed = basePath.replace(/\/+$/, '');
  const base = trimmed.endsWith(endpoint) ? trimmed.slice(0, -endpoint.length) : trimmed;
  if (!/^\/v\d/.test(endpoint)) return (path) => base + path.replace(/^\/v1(?=\/)/, '');
  return (path) => {
    const [version = ''] = /^\/[^/]+/.exec(path) ?? [];
    return VERSION.test(base) ? base + path.slice(version.length) : base + path;
  };
}

/** Path segments of plain characters that do not begin with a dot: nearly all paths match. */
const USUAL_PATH = /^(?:\/[\w~:@-][\w.~:@-]*)+$/;

/**
 * Whether a path has no `..` in any spelling: escaped, escaped twice, or before a parameter (`..;`), which some servers
 * ignore. With `..`, a client could use the operator's key at another path.
 */
export function isPlainPath(path: string): boolean {
  if (USUAL_PATH.test(path)) return true;
  const text = decoded(path);
  if (text === undefined || decoded(text) !== text) return false;
  return text.split(/[/\\]/).every((part) => !/^\.\.?(?:;|$)/.test(part)) && !/[\p{Cc}?#\\]/u.test(text);
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
