/** Whether a text matches a pattern, in which `*` stands for any characters, including line ends. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, position);
    if (found < 0) return false;
    position = found + piece.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}

/** Whether any text with this start could match. */
export function mayMatchGlob(pattern: string, start: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern.startsWith(start);
  const literal = pattern.slice(0, star);
  return literal.startsWith(start) || start.startsWith(literal);
}

/** Expands a pattern for commands: `git:*` and `git *` mean `git` alone and `git` with arguments. */
export function commandGlobs(pattern: string): readonly string[] {
  const text = pattern.replace(/:\*$/, ' *').replaceAll(/[ \t\n]+/g, ' ');
  return text.endsWith(' *') ? [text.slice(0, -2), text] : [text];
}

/** Whether a path matches a pattern, after `.`, `..` and doubled slashes are resolved in both. Accesses no file. */
export function matchesPath(pattern: string, path: string): boolean {
  if (path === '' || path.includes('\0')) return false;
  const glob = plainPath(pattern);
  const [text, flat] = [plainPath(path), glob.replaceAll(/(^|\/)\*\*\//g, '$1')];
  // `**/` may also stand for no directory.
  return matchesGlob(glob, text) || matchesGlob(flat, text);
}

function plainPath(path: string): string {
  const steps: string[] = [];
  const isAbsolute = /^[\\/]/.test(path);
  for (const step of path.split(/[\\/]+/)) {
    if (step === '' || step === '.') continue;
    const isUp = step === '..';
    if (isUp && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (!isUp || !isAbsolute) steps.push(step);
  }
  return (isAbsolute ? '/' : '') + steps.join('/');
}

/**
 * Whether a host belongs to a domain: `domain:example.com` is that host, `domain:*.example.com` every host below it.
 */
export function matchesDomain(pattern: string, host: string): boolean {
  if (pattern === 'domain:*') return true;
  const [, below, domain] = /^domain:(\*\.)?([^*/:@?#\\\s]+)$/.exec(pattern) ?? [];
  const wanted = domain === undefined ? undefined : hostOf(`http://${domain}`);
  if (wanted === undefined) return false;
  return below === undefined ? host === wanted : host.endsWith(`.${wanted}`);
}

/** The host of a web address. `undefined` if programs might read the address differently. */
export function hostOf(url: string): string | undefined {
  if (!/^https?:\/\/[^\\\s\p{Cc}]+$/iu.test(url) || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/, '') || undefined;
}
