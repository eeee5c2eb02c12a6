import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Content by path relative to the root, with `/`. A path that ends in `/` is an empty directory. */
export type TreeFiles = Readonly<Record<string, string | Uint8Array>>;

/** A temporary directory of real files, gone when its test ends. */
export interface SkillTree {
  /** Real path, so that reported paths can be compared as text. */
  readonly root: string;
  /** Absolute path of an entry in the tree. */
  path(...steps: readonly string[]): string;
  write(files: TreeFiles): void;
  /** Makes a link at `path`; `target` is stored unchanged. */
  link(path: string, target: string): void;
  remove(path: string): void;
}

/** Long enough for the largest trees of the long tests. */
const CLEANUP_MS = 300_000;

/** Writes `files` into a fresh directory. Call it in a test body: the directory is removed when that test ends. */
export function createSkillTree(files: TreeFiles = {}): SkillTree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skill-tree-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }), CLEANUP_MS);
  const path = (...steps: readonly string[]): string => join(root, ...steps);
  const place = (file: string): string => {
    mkdirSync(dirname(path(file)), { recursive: true });
    return path(file);
  };
  const tree: SkillTree = {
    root,
    path,
    write(more) {
      for (const [file, content] of Object.entries(more)) {
        if (file.endsWith('/')) mkdirSync(path(file), { recursive: true });
        else writeFileSync(place(file), content);
      }
    },
    link: (file, target) => symlinkSync(target, place(file)),
    remove: (file) => rmSync(path(file), { recursive: true }),
  };
  tree.write(files);
  return tree;
}

/** A SKILL.md: `key: value` lines exactly as given between the delimiters, then the body. */
export function skillText(fields: Readonly<Record<string, string>>, body = '\nDo as asked.\n'): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`);
  return `---\n${lines.join('')}---\n${body}`;
}

/** A valid skill without findings. */
export function goodSkill(name: string, description = `Does ${name}. Use when asked for ${name}.`): string {
  return skillText({ name, description });
}

/** Makes a named pipe, which git cannot store. Opening it as a file blocks forever. Returns false on systems without pipes. */
export function makeFifo(path: string): boolean {
  return spawnSync('mkfifo', [path]).status === 0;
}
