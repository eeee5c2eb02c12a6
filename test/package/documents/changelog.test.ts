import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { readChangelog } from './changelog-format.ts';
import { listFiles, readText } from '../structure/source-files.ts';

const GOOD = `# Changelog

## [Unreleased]

## [0.2.0] - 2026-02-03

### Added

- More.

### Fixed

- A fault.

## [0.1.0] - 2026-01-02

### Added

- Something.

[Unreleased]: ../../compare/v0.2.0...HEAD
[0.2.0]: ../../compare/v0.1.0...v0.2.0
[0.1.0]: ../../releases/tag/v0.1.0
`;

describe('CHANGELOG.md', () => {
  const changelog = readChangelog(readText('CHANGELOG.md'));

  it('follows Keep a Changelog', () => {
    proves('S2.DR-7.1.keep-a-changelog');
    expect(changelog.problems).toEqual([]);
  });

  it("has an entry for the packages' version", () => {
    const manifests = ['package.json', ...listFiles('packages/*/package.json')];
    const versions = manifests.map((path) => (JSON.parse(readText(path)) as { version: string }).version);
    const [version = ''] = versions;
    expect(new Set(versions)).toEqual(new Set([version]));
    expect(changelog.hasUnreleased || changelog.versions[0] === version).toBe(true);
  });
});

describe('the changelog check', () => {
  it('accepts a valid changelog', () => {
    expect(readChangelog(GOOD)).toEqual({ problems: [], versions: ['0.2.0', '0.1.0'], hasUnreleased: false });
  });

  it.each([
    ['a missing title', '# Changelog', '# History'],
    ['a missing Unreleased', '## [Unreleased]', '## [Next]'],
    ['a heading without a date', '## [0.1.0] - 2026-01-02', '## [0.1.0]'],
    ['an invalid date', '2026-01-02', '2026-01-32'],
    ['a date after the next release', '2026-01-02', '2026-03-02'],
    ['versions out of order', '## [0.2.0]', '## [0.0.2]'],
    ['a section of another name', '### Fixed', '### Repaired'],
    ['a section twice', '### Fixed', '### Added'],
    ['a section without entries', '- A fault.', 'A fault.'],
    ['a missing link', '[0.1.0]: ', '[0.1]: '],
  ])('rejects %s', (_what, good, bad) => {
    expect(readChangelog(GOOD.replace(good, bad)).problems).not.toEqual([]);
  });
});
