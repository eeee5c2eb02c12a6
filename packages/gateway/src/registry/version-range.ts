import { compare, Range, valid } from 'semver';
import { GatewayError } from '../spec/gateway-error.ts';

const VERSION = /^\d+\.\d+\.\d+$/;
const MAX_RANGE = 100;
const MAX_KNOWN = 500;

/** Whether a text is a version: three numbers, as in `1.0.0`. */
export function isVersion(text: string): boolean {
  return VERSION.test(text) && valid(text) !== null;
}

/** Compares two versions: positive if the first version is higher. */
export function compareVersions(first: string, second: string): number {
  return compare(first, second);
}

/** Says whether a version is in a range. */
export type VersionTest = (version: string) => boolean;

/** Reads ranges and caches them. Throws `InvalidRange` for an invalid range. */
export function createRangeReader(): (text: string) => VersionTest {
  const known = new Map<string, VersionTest>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const range = readRange(text);
    const test: VersionTest = (version) => range.test(version);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, test);
    return test;
  };
}

/** Parses a range. `==` means `=`, and `latest` means any version. */
export function readRange(text: string): Range {
  const written = text.trim();
  try {
    if (written !== '' && written.length <= MAX_RANGE)
      return new Range(written === 'latest' ? '*' : written.replaceAll('==', '='));
  } catch {
    // The invalid range is reported below.
  }
  const message = `'${text.slice(0, MAX_RANGE)}' is not a version range. Write a version, latest, or a range such as ^1.2, ~1.2.3 or >=1 <3.`;
  throw new GatewayError('InvalidRange', message, { data: { range: text.slice(0, MAX_RANGE) } });
}

/** A skill name with a version range: `name@^1`, or `name` for any version. */
export interface SkillReference {
  readonly name: string;
  readonly range: string | undefined;
}

export function parseReference(text: string): SkillReference {
  const at = text.lastIndexOf('@');
  return at <= 0 ? { name: text, range: undefined } : { name: text.slice(0, at), range: text.slice(at + 1) };
}
