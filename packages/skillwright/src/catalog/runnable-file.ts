import type { SkillFile } from '../spec/skill.ts';
import { isScriptName } from '../sources/skill-directory-entries.ts';

/** A script in `scripts/` or at the root of the skill, or a program anywhere in it. */
export function isRunnable(file: SkillFile): boolean {
  if (file.executable) return !file.path.toLowerCase().endsWith('.md');
  const isPlacedForRunning = file.path.startsWith('scripts/') || !file.path.includes('/');
  return isPlacedForRunning && isScriptName(file.path);
}
