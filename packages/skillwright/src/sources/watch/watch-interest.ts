import { SKIPPED_DIRECTORIES } from '../directory/skill-directory-entries.ts';

/** Which events of a watched directory matter. */
export interface Interest {
  /** `skill`: SKILL.md and tools.json in it. `entries`: also what comes, goes, or is renamed. */
  add(what: 'skill' | 'entries'): void;
  /** One entry. */
  addName(name: string): void;
  /** `type` and `name` are those of the event; `self` is the name of the directory. */
  matters(type: string, name: string | null, self: string): boolean;
}

const READ_FILES: ReadonlySet<string> = new Set(['skill.md', 'tools.json']);
const MANIFESTS: ReadonlySet<string> = new Set([...READ_FILES, 'plugin.json', 'marketplace.json']);

/** With `deep` names are paths relative to the directory, and everything below it is of the same interest. */
export function createInterest(deep: boolean): Interest {
  const names = new Set<string>();
  let isSkill = false;
  let isAll = false;
  return {
    add(what) {
      if (what === 'skill') isSkill = true;
      else isAll = true;
    },
    addName: (name) => void names.add(name),
    matters(type, name, self) {
      // Without a name anything may have happened; its own name stands for the directory itself.
      if (name === null || name === self || names.has(name)) return true;
      if (deep) return isDeepMatter(type, name);
      if (READ_FILES.has(name.toLowerCase())) return isSkill || isAll;
      return isAll && type === 'rename' && !SKIPPED_DIRECTORIES.has(name);
    },
  };
}

function isDeepMatter(type: string, path: string): boolean {
  const steps = path.split(/[\\/]/);
  if (steps.some((step) => SKIPPED_DIRECTORIES.has(step))) return false;
  return type === 'rename' || MANIFESTS.has((steps.at(-1) ?? '').toLowerCase());
}
