import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import {
  isCommonJs,
  moduleTypeAbove,
  readManifest,
  skillModulesUrl,
  type ModuleType,
} from '../../process/skill-modules.ts';
import type { SandboxLaunch } from '../../spec/sandbox.ts';
import type { ContentStamps } from '../admission/skill-content.ts';

/** Arguments for Node that keep a `package.json` above a skill from deciding the module format of the skill's files. */
export interface ModuleArguments {
  /**
   * The arguments for a file. Empty if Node chooses the same formats without them, because the arguments cost a few
   * milliseconds at each start.
   */
  of(record: SkillRecord, file: string, ground: Pick<SandboxLaunch, 'skillDir' | 'workspace'>): readonly string[];
}

/** A skill with more files than this gets the arguments without a check of its files. */
const MAX_FILES = 100;
const MAX_BYTES = 1_048_576;
const MAX_DEPTH = 8;

export function createModuleArguments(stamps: ContentStamps): ModuleArguments {
  const known = new WeakMap<SkillRecord, { readonly key: string; readonly isMisread: boolean }>();
  const isMisread = (record: SkillRecord, file: string, skillDir: string, above: ModuleType): boolean => {
    const key = `${above} ${skillDir} ${stamps.of(record, file)}`;
    const before = known.get(record);
    if (before?.key === key) return before.isMisread;
    const answer = isAnyMisread(skillDir, above);
    known.set(record, { key, isMisread: answer });
    return answer;
  };
  return {
    of(record, file, { skillDir, workspace }) {
      const above = moduleTypeAbove(skillDir);
      if (above === undefined) return [];
      // Do not parse untrusted code in this process. In its sandbox, the directories above the skill are visible only
      // with the workspace.
      const isTrusted = record.metadata.trust === 'trusted';
      const isNeeded = isTrusted ? isMisread(record, file, skillDir, above) : workspace !== 'none';
      return isNeeded ? ['--import', skillModulesUrl(skillDir)] : [];
    },
  };
}

/** Whether Node would read any file in the wrong module format because of the `package.json` above the skill. */
function isAnyMisread(root: string, above: ModuleType): boolean {
  let files = MAX_FILES;
  let bytes = MAX_BYTES;
  const isMisread = (path: string): boolean => {
    files -= 1;
    bytes -= statSync(path).size;
    // The format of TypeScript cannot be decided here, so assume a mismatch.
    if (files < 0 || bytes < 0 || path.endsWith('.ts')) return true;
    return isCommonJs(readFileSync(path, 'utf8')) !== (above === 'commonjs');
  };
  const visit = (directory: string, depth: number): boolean => {
    if (readManifest(directory)?.type !== undefined) return false;
    return readdirSync(directory, { withFileTypes: true }).some((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return entry.name !== 'node_modules' && (depth >= MAX_DEPTH || visit(path, depth + 1));
      return entry.isFile() && isForNode(path) && isMisread(path);
    });
  };
  try {
    return visit(root, 0);
  } catch {
    // Leave an unreadable file to Node, which then reports it.
    return true;
  }
}

function isForNode(path: string): boolean {
  const extension = extname(path);
  if (extension !== '') return extension === '.js' || extension === '.ts';
  const head = Buffer.alloc(64);
  const descriptor = openSync(path, 'r');
  try {
    return /^#!.*\bnode\b/.test(head.toString('latin1', 0, readSync(descriptor, head)));
  } finally {
    closeSync(descriptor);
  }
}
