/** At the end of a base, which then decides it. */
const VERSION = /\/v\d\w*$/;

/**
 * Makes the paths at an upstream of those at the gateway. Formats name their endpoints below a version (`/v1/messages`) or
 * below a base that has it (`/chat/completions`); people's base URLs have a version, all of the endpoint, or neither.
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

/** Names that begin with no dot, in characters that mean nothing else: what nearly all paths are. */
const USUAL_PATH = /^(?:\/[\w~:@-][\w.~:@-]*)+$/;

/**
 * Whether a path leads where it seems to lead. `..` would take the operator's key elsewhere, however it is written: escaped, escaped
 * twice, or before a parameter (`..;`), which some servers ignore.
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
