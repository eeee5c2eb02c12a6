import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../../packages/skillwright/src/spec/program.ts';
import { COMMANDS } from '../../../packages/skillwright/src/surfaces/cli/command-table.ts';
import { readBehaviour, readSources, type SourceFile } from '../structure/source-files.ts';

const NAMES = COMMANDS.map(({ name }) => name).join('|');
/** The program's name before something that can only be a command: a name, a placeholder, an option or an inserted value. */
const TYPED = new RegExp(String.raw`(\bnpx )?\bskillwright (?=(?:${NAMES})\b|<|--|\$\{)`, 'g');
const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
/** Tables whose text must be literal for its types; the reference pages are generated from them. */
const TABLE = /\/spec\/(?:\w+\/)?[\w-]+-(?:data|diagnostics)\.ts$/;

/** Places that may write the program's name directly, with their lines. */
function strayCommands({ path, text }: SourceFile): string[] {
  const mayBeLiteral = TABLE.test(path) || path.endsWith('.md');
  return text
    .replaceAll(COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(TYPED)]
        .filter(([found]) => !(mayBeLiteral && found.trim() === PROGRAM))
        .map(() => `${path}:${index + 1}: ${line.trim().slice(0, 120)}`),
    );
}

describe('a command for users to type', () => {
  it('is written with PROGRAM in every message, help text and page of the packages', () => {
    expect(readBehaviour().flatMap(strayCommands)).toEqual([]);
  });

  it('begins with the same words in the documentation and in skills', () => {
    const pages = readSources('README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'skills/**/*.md');
    // Decision records keep the wording of their time.
    expect(pages.filter(({ path }) => !path.startsWith('docs/decisions/')).flatMap(strayCommands)).toEqual([]);
  });

  it.each([
    ['packages/x/src/a.ts', "line('skillwright list shows every name.');"],
    ['packages/x/src/a.ts', "line('Run npx skillwright --help');"],
    ['packages/x/src/a.ts', 'line(`skillwright ${name}`);'],
    ['packages/x/src/spec/error-data.ts', "remedy: 'See `skillwright trust <path>`.'"],
    ['docs/a.md', 'Run `skillwright <command>`.'],
  ])('is reported in %s if it does not use PROGRAM: %s', (path, text) => {
    expect(strayCommands({ path, text })).toEqual([`${path}:1: ${text}`]);
  });

  it.each([
    ['packages/x/src/a.ts', 'line(`${PROGRAM} list shows every name.`);'],
    ['packages/x/src/a.ts', '/** What `skillwright list` prints. */'],
    ['packages/x/src/a.ts', "line('skillwright needs Node 22');"],
    ['packages/x/src/spec/error-data.ts', "remedy: 'See `npx skillwright trust <path>`.'"],
    ['docs/a.md', 'Run `npx skillwright <command>`.'],
  ])('is not reported in %s otherwise: %s', (path, text) => {
    expect(strayCommands({ path, text })).toEqual([]);
  });
});
