import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUBJECTS = [
  'invoice',
  'weather',
  'calendar',
  'translation',
  'database',
  'image',
  'email',
  'report',
  'route',
  'tax',
];
const ACTIONS = ['create', 'check', 'convert', 'archive', 'compare', 'export', 'find', 'merge', 'review', 'send'];

/** A hundred small skills, the same in every run. */
export function writeSkills(directory: string): number {
  for (const subject of SUBJECTS) {
    for (const action of ACTIONS) {
      const name = `${action}-${subject}`;
      const description = `Use this to ${action} a ${subject}, when somebody asks for that or for something like it.`;
      const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nAsk which ${subject}, then ${action} it.\n`;
      mkdirSync(join(directory, name), { recursive: true });
      writeFileSync(join(directory, name, 'SKILL.md'), text);
    }
  }
  return SUBJECTS.length * ACTIONS.length;
}
