import { expect } from 'vitest';
import {
  type Diagnostic,
  type SkillDiscoveryResult,
  SkillManager,
  type SkillManagerOptions,
} from '../../packages/skillwright/src/index.ts';
import { goodSkill, type SkillTree } from './skill-tree.ts';

export interface HostileDiscovery extends SkillDiscoveryResult {
  readonly manager: SkillManager;
  /** Code and path (relative to `skills/`) of every diagnostic, sorted. */
  readonly found: readonly (readonly [code: string, path: string])[];
  /** The diagnostics with this code. */
  of(code: string): readonly Diagnostic[];
}

/**
 * Adds good skills that sort first and last, and discovers `skills/` synchronously and asynchronously. Whatever the
 * tree holds, nothing is thrown, both results agree, the good skills are listed, and every diagnostic can be printed.
 */
export async function discoverHostile(tree: SkillTree, options: SkillManagerOptions = {}): Promise<HostileDiscovery> {
  tree.write({ 'skills/0-good/SKILL.md': goodSkill('0-good'), 'skills/zz-good/SKILL.md': goodSkill('zz-good') });
  const manager = new SkillManager({ cwd: tree.root, ...options });
  const result = manager.discoverSync();
  expect(await new SkillManager({ cwd: tree.root, ...options }).discover()).toEqual(result);
  const names = result.skills.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['0-good', 'zz-good']));
  for (const { message, path } of result.diagnostics) {
    expect(message.length).toBeLessThan(1_000 + 2 * path.length);
    // A skill must not control the terminal.
    expect(message.replaceAll(path, '')).not.toMatch(/\p{Cc}/u);
  }
  const root = tree.path('skills');
  const relative = (path: string): string => path.replace(root, '').replaceAll('\\', '/').replace(/^\//, '');
  const found = result.diagnostics.map(({ code, path }) => [code, relative(path)] as const);
  return {
    ...result,
    manager,
    found: found.sort((a, b) => (a.join() < b.join() ? -1 : 1)),
    of: (code) => result.diagnostics.filter((diagnostic) => diagnostic.code === code),
  };
}

/** The names besides the two good skills. */
export function othersIn(result: SkillDiscoveryResult): string[] {
  return result.skills.map(({ name }) => name).filter((name) => name !== '0-good' && name !== 'zz-good');
}
