import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { presentSkill } from '../../../parse/skill/skill-presentation.ts';
import { createRuntime } from '../../../runtime.ts';
import { createMemorySource, type MemorySkill } from '../../../sources/memory-source.ts';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import type { Invocation } from '../command.ts';
import { joinWords } from '../text/terminal-text.ts';
import { openSkills } from '../finding/locations.ts';

/** The tour's sample skills. */
export interface SampleSkills {
  /** Where the skills are, for display. */
  readonly place: string;
  /** The option with which a command finds the sample skills; absent if no option can. */
  readonly option?: string;
  readonly snapshot: Snapshot;
  invoke(name: string, args: string): Promise<string>;
}

/** The skills of the checkout that contains this file; otherwise those of the project; otherwise two built-in ones. */
export function openSampleSkills(invocation: Invocation): SampleSkills {
  const { cwd } = invocation.globals;
  const given = invocation.globals.dirs[0];
  const directory =
    given ?? [checkoutSkills(), join(cwd, 'skills')].find((path) => path !== undefined && holdsSkills(path));
  if (directory === undefined) return builtInSkills();
  const { manager, snapshot, shown } = openSkills(invocation, { dirs: [directory], strict: false });
  if (snapshot.skills.length === 0) return builtInSkills();
  const path = shown.path(resolve(cwd, directory));
  const place = /^[/~.]|^\w:/.test(path) ? path : `./${path}`;
  return {
    place,
    option: ` --dir ${joinWords([path])}`,
    snapshot,
    invoke: async (name, args) => (await manager.invokeSkill(name, args)).processedContent,
  };
}

function checkoutSkills(): string | undefined {
  for (
    let directory = dirname(fileURLToPath(import.meta.url));
    dirname(directory) !== directory;
    directory = dirname(directory)
  ) {
    if (existsSync(join(directory, 'skills')) && existsSync(join(directory, 'packages')))
      return join(directory, 'skills');
  }
  return undefined;
}

function holdsSkills(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => existsSync(join(directory, name, 'SKILL.md')));
  } catch {
    return false;
  }
}

function builtInSkills(): SampleSkills {
  const { catalog } = createRuntime({ sources: [createMemorySource(BUILT_IN)] });
  const snapshot = catalog.refreshSync();
  return {
    place: 'memory',
    snapshot,
    async invoke(name, args) {
      const record = snapshot.find(name);
      return record === undefined ? '' : presentSkill(await catalog.body(record), record.metadata, { arguments: args });
    },
  };
}

const BUILT_IN: readonly MemorySkill[] = [
  {
    directory: 'code-review',
    files: {
      'SKILL.md':
        '---\nname: code-review\ndescription: Review a change for bugs and missing tests. Use when the user asks for a code review.\nargument-hint: "[file or git range]"\n---\n\n# Code review\n\nWhat to review: $ARGUMENTS\n\nRead it, and report findings by severity with file and line. Never edit anything.\n',
    },
  },
  {
    directory: 'word-count',
    files: {
      'SKILL.md':
        '---\nname: word-count\ndescription: Count the words of a text. Use when the user asks how long a text is.\n---\n\n# Word count\n\nNever estimate: call the tool `count_words` and report what it says.\n',
      'tools.json': JSON.stringify([
        {
          name: 'count_words',
          description: 'Count the words, lines and characters of a text.',
          parameters: {
            text: { type: 'string', description: 'The text to measure, unchanged.' },
            locale: { type: 'string', description: 'Language of the text.', optional: true, default: 'en' },
          },
        },
      ]),
    },
  },
];

/** A skill with the most common mistake, and the findings about it. */
export function openBrokenSkill(): { readonly text: string; readonly snapshot: Snapshot } {
  const text = '---\nname: release-notes\ndescription: Use when: x\n---\n\nWrite the release notes.\n';
  const { catalog } = createRuntime({
    sources: [createMemorySource([{ directory: 'release-notes', files: { 'SKILL.md': text } }], { id: 'example' })],
  });
  return { text, snapshot: catalog.refreshSync() };
}
