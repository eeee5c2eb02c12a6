/** What a `version` field says. */
export interface VersionReading {
  /** A semantic version, where the text is one or can be completed to one. */
  readonly version?: string;
  readonly state: 'exact' | 'completed' | 'invalid';
}

const PLAIN = /^(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$/;
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const PARTIAL = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?$/;

/** Reads the text as written in the file: `1.10` is 1.10.0, never 1.1. */
export function readVersion(text: string): VersionReading {
  if (PLAIN.test(text) || SEMVER.test(text)) return { version: text, state: 'exact' };
  const parts = PARTIAL.exec(text);
  if (parts === null) {
    const stripped = text.replace(/^v/, '');
    return SEMVER.test(stripped) ? { version: stripped, state: 'completed' } : { state: 'invalid' };
  }
  const version = [parts[1], parts[2] ?? '0', parts[3] ?? '0'].map(Number).join('.');
  return { version, state: 'completed' };
}
