const SECTIONS = new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']);
const VERSION_HEADING = /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/;

export interface Changelog {
  readonly problems: readonly string[];
  /** Newest first. */
  readonly versions: readonly string[];
  /** Whether there are changes for the next release. */
  readonly hasUnreleased: boolean;
}

/** Reads a changelog in the format of Keep a Changelog and reports its errors. */
export function readChangelog(text: string): Changelog {
  const lines = text.split('\n');
  const headings = lines.filter((line) => line.startsWith('## '));
  const releases = headings.slice(1).map((heading) => VERSION_HEADING.exec(heading));
  const versions = releases.flatMap((match) => match?.[1] ?? []);
  const dates = releases.flatMap((match) => match?.[2] ?? []);
  const unreleased = text.split(/^## .*$/m)[1] ?? '';
  return {
    versions,
    hasUnreleased: /^- /m.test(unreleased),
    problems: [
      ...(lines[0] === '# Changelog' ? [] : ['The first line is not "# Changelog".']),
      ...(headings[0] === '## [Unreleased]' ? [] : ['The first section is not "## [Unreleased]".']),
      ...headings
        .slice(1)
        .filter((_, index) => releases[index] === null)
        .map((heading) => `"${heading}" is not "## [1.2.3] - 2026-01-31".`),
      ...checkOrder(versions, compareVersions, 'version'),
      ...checkOrder(dates, (a, b) => (a < b ? -1 : 1), 'date', 'equal'),
      ...dates.filter((date) => !isDate(date)).map((date) => `${date} is not a date.`),
      ...checkSections(text),
      ...checkLinks(text, versions),
    ],
  };
}

function checkSections(text: string): string[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [heading = ''] = part.split('\n');
      const names = [...part.matchAll(/^### (.*)$/gm)].map(([, name = '']) => name);
      const empty = part
        .split(/^### /m)
        .slice(1)
        .filter((section) => !/^- \S/m.test(section));
      return [
        ...names.filter((name) => !SECTIONS.has(name)).map((name) => `${heading}: "${name}" is not a section.`),
        ...names
          .filter((name, index) => names.indexOf(name) !== index)
          .map((name) => `${heading}: "${name}" is there twice.`),
        ...empty.map((section) => `${heading}: "${section.split('\n')[0] ?? ''}" has no entries.`),
      ];
    });
}

function checkLinks(text: string, versions: readonly string[]): string[] {
  const linked = new Set([...text.matchAll(/^\[([^\]]+)\]: \S+$/gm)].map(([, label = '']) => label));
  return ['Unreleased', ...versions]
    .filter((label) => !linked.has(label))
    .map((label) => `[${label}] has no link at the end.`);
}

function checkOrder(
  values: readonly string[],
  compare: (a: string, b: string) => number,
  what: string,
  equal?: 'equal',
): string[] {
  return values.slice(1).flatMap((value, index) => {
    const newer = values[index] ?? '';
    const isFine = compare(value, newer) < 0 || (equal !== undefined && value === newer);
    return isFine ? [] : [`The ${what} ${value} stands below ${newer}: the newest comes first.`];
  });
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  return (
    [0, 1, 2].map((part) => (left?.[part] ?? 0) - (right?.[part] ?? 0)).find((difference) => difference !== 0) ?? 0
  );
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
