import { GatewayError } from '../../spec/gateway-error.ts';

const FORBIDDEN: ReadonlySet<string> = new Set([
  '.env',
  '.git',
  '.ssh',
  '.skillwright',
  '.omniroute',
  '.codex',
  'secrets',
]);
const MAX_SEGMENTS = 32;
const MAX_SEGMENT_BYTES = 255;
// oxlint-disable-next-line no-control-regex
const UNUSABLE = /[\u0000-\u001f\u007f\\:]/;
/** `.git` can be spelled `GIT~1` on file systems with short names. */
const SHORT_NAME = /^[^.]{1,6}~\d/;
/** Characters that some file systems ignore in names. */
const OVERLOOKED = /[\p{Default_Ignorable_Code_Point}\u0307]/gu;

/**
 * Splits the path of a workspace file into names. Judges the text alone, before any disk access: refuses `..`, absolute
 * paths, and forbidden names in any spelling that a file system might treat as the same.
 */
export function parseWorkspacePath(path: string): readonly string[] {
  if (path.startsWith('/') || path.startsWith('~')) throw refused(path, 'is not relative to the workspace');
  if (UNUSABLE.test(path)) throw refused(path, 'has a forbidden character');
  const segments = path.split('/').filter((segment) => segment !== '.');
  if (segments.length === 0) throw refused(path, 'does not name a file');
  if (segments.length > MAX_SEGMENTS) throw refused(path, `is more than ${MAX_SEGMENTS} directories deep`);
  for (const segment of segments) assertSegment(path, segment);
  return segments;
}

function assertSegment(path: string, segment: string): void {
  if (segment === '') throw refused(path, "has an empty name between two '/' or at its end");
  if (!segment.isWellFormed()) throw refused(path, 'is not valid Unicode');
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) throw refused(path, 'has a name that is too long');
  const plain = foldName(segment);
  if (/^\.*$/.test(plain)) throw refused(path, "has a name like '..'");
  if (FORBIDDEN.has(plain) || plain.startsWith('.env.') || SHORT_NAME.test(plain))
    throw refused(path, `has the name '${plain}', which skills may not use`);
}

/** Folds a name in the way of a file system that ignores case, compatibility forms, and dots or spaces at the end. */
function foldName(segment: string): string {
  const folded = segment.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replaceAll(OVERLOOKED, '');
  return folded.replace(/[. ]+$/, '');
}

export function refused(path: string, problem: string): GatewayError {
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 199)}…` : path);
  return new GatewayError('WorkspacePathRefused', `The path ${shown} ${problem}.`, { data: { path } });
}
