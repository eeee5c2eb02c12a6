import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  createDirectorySource,
  createPluginSource,
  type Diagnostic,
  locationOf,
  type SkillMetadata,
  type SkillSource,
} from '../../packages/skillwright/src/index.ts';
import { createRuntime, type Snapshot } from '../../packages/skillwright/src/host.ts';
import { compareFields } from './field-comparison.ts';
import { readReferenceSkill, walkForSkills } from './reference-reader.ts';

/** Something that a popular client would load but the library does not, or reads differently. */
export interface CompatFailure {
  readonly kind: 'refused' | 'dropped' | 'different';
  readonly path: string;
  readonly detail: string;
}

export interface CompatReport {
  readonly directory: string;
  /** Files the plain walk found. */
  readonly files: number;
  /** How many of them the library loads as skills, shadowed ones included. */
  readonly read: number;
  readonly shadowed: number;
  /** Read, but with repairs. */
  readonly repaired: number;
  /** How many were compared with the full parser field by field. */
  readonly compared: number;
  /** Refused because there is nothing to read, by diagnostic code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Reported instead of read: spelling variants, links, limits. */
  readonly reported: number;
  /** Inside another skill, where no client looks. */
  readonly nested: number;
  readonly diagnostics: Readonly<Record<string, number>>;
  readonly failures: readonly CompatFailure[];
}

export interface CheckOptions {
  /** Reads by the strict rules, to show what they would refuse. Default false. */
  readonly strict?: boolean;
  /** What the library reads instead of the directory. Default: its plugins, then all of it. */
  readonly sources?: readonly SkillSource[];
  readonly onProgress?: (done: number, total: number) => void;
}

const REPAIRS: ReadonlySet<string> = new Set([
  'yaml-quoted',
  'yaml-lines',
  'yaml-invalid',
  'yaml-bomb',
  'yaml-duplicate-key',
  'merge-conflict',
  'frontmatter-unclosed',
  'frontmatter-missing',
  'description-missing',
]);

/** Reads a directory with the library and with the reference reader, and compares the results. */
export async function checkDirectory(path: string, options: CheckOptions = {}): Promise<CompatReport> {
  const root = realpathSync(resolve(path));
  const walk = walkForSkills(root);
  const plugins = walk.plugins.map((plugin) => createPluginSource({ path: plugin }));
  const sources = options.sources ?? [...plugins, createDirectorySource({ path: root })];
  const limits = { maxDepth: 64, maxDirectories: 10_000_000 };
  const snapshot = await createRuntime({
    sources,
    limits,
    strict: options.strict ?? false,
    thorough: true,
  }).catalog.refresh();
  const view = createView(snapshot);

  const failures: CompatFailure[] = [];
  const refused: Record<string, number> = {};
  const counts = { read: 0, compared: 0, reported: 0 };
  for (const [index, file] of walk.files.entries()) {
    options.onProgress?.(index + 1, walk.files.length);
    const reference = readReferenceSkill(file);
    const skill = view.skills.get(file);
    const refusal = view.refusals.get(file);
    if (skill !== undefined) {
      counts.read += 1;
      if (reference.fields === undefined) continue;
      counts.compared += 1;
      for (const { field, expected, actual } of compareFields(reference.fields, skill)) {
        failures.push({
          kind: 'different',
          path: file,
          detail: `${field}: expected ${shown(expected)}, got ${shown(actual)}`,
        });
      }
    } else if (refusal !== undefined) {
      const reason = refusal.find(({ severity }) => severity === 'error');
      const isReadable = reference.hasBody || reference.hasDescription;
      if (isReadable || reason === undefined)
        failures.push({
          kind: 'refused',
          path: file,
          detail: reason === undefined ? 'without a reason' : `${reason.message} (${locationOf(reason)})`,
        });
      else refused[reason.code] = (refused[reason.code] ?? 0) + 1;
    } else if (view.isReported(file)) counts.reported += 1;
    else failures.push({ kind: 'dropped', path: file, detail: 'found by a plain walk, and not a word about it' });
  }
  return {
    directory: root,
    files: walk.files.length,
    ...counts,
    shadowed: snapshot.shadowed.length,
    repaired: repairedIn(snapshot),
    refused,
    nested: walk.nested,
    diagnostics: countCodes(snapshot.diagnostics),
    failures,
  };
}

interface View {
  readonly skills: ReadonlyMap<string, SkillMetadata>;
  readonly refusals: ReadonlyMap<string, readonly Diagnostic[]>;
  isReported(file: string): boolean;
}

function createView(snapshot: Snapshot): View {
  const reported = new Set(snapshot.diagnostics.map(({ path }) => path));
  const all = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  return {
    skills: new Map(all.map((skill) => [skill.filePath, skill])),
    refusals: new Map(snapshot.refused.map(({ path, diagnostics }) => [path, diagnostics])),
    isReported(file) {
      for (let place = file; ; place = dirname(place)) {
        if (reported.has(place)) return true;
        if (dirname(place) === place) return false;
      }
    },
  };
}

function repairedIn(snapshot: Snapshot): number {
  const repaired = new Set(snapshot.diagnostics.filter(({ code }) => REPAIRS.has(code)).map(({ path }) => path));
  return [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)].filter(({ filePath }) =>
    repaired.has(filePath),
  ).length;
}

function countCodes(diagnostics: readonly Diagnostic[]): Record<string, number> {
  const groups = Map.groupBy(diagnostics, ({ code }) => code);
  return Object.fromEntries(
    [...groups]
      .map(([code, group]) => [code, group.length] as const)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
  );
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
