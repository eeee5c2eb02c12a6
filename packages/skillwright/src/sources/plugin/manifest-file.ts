import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { decodeUtf8 } from '../../parse/utf8.ts';
import { isMissing, systemReason } from '../file-errors.ts';

export type ManifestText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly diagnostic: Diagnostic };

/** Reads a JSON manifest that may be absent. `code` is what a file that cannot be read is reported as. */
export function readManifestFile(
  path: string,
  code: 'plugin-invalid' | 'marketplace-invalid',
  maxBytes: number,
): ManifestText {
  const bad = (reason: string): ManifestText => {
    const diagnostic = createDiagnostic(code, { path, message: `${path} cannot be used: ${reason}.` });
    return { kind: 'bad', diagnostic };
  };
  if (!existsSync(path)) return { kind: 'absent' };
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return bad('it is not a regular file');
    if (stats.size > maxBytes) return bad(`it has ${stats.size} bytes, the limit is ${maxBytes}`);
    const decoded = decodeUtf8(readFileSync(descriptor));
    return decoded.ok ? { kind: 'text', text: decoded.text } : bad(`it is not valid UTF-8 at byte ${decoded.offset}`);
  } catch (error) {
    return isMissing(error) ? { kind: 'absent' } : bad(systemReason(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
