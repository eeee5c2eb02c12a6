import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillMetadata } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { readReferenceSkill, walkForSkills } from './reference-reader.ts';

const root = fileURLToPath(new URL('../fixtures/wild', import.meta.url));
const manager = new SkillManager({ projectSkillDir: root });
const { snapshot } = manager;
const all = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
const placeOf = (path: string): string => relative(root, path).replaceAll('\\', '/');
const skills = new Map<string, SkillMetadata>(all.map((skill) => [placeOf(skill.baseDir), skill]));

/** The findings about a text without frontmatter. */
const NO_FRONTMATTER = 'frontmatter-missing:1 description-missing:1 name-missing:1';

/** Instead of a name: the file has nothing to make a skill of. */
const REFUSED = '(refused)';

/**
 * The expected reading of each directory of test/fixtures/wild: name, description, and findings as `code:line` (`*` for any
 * finding). It has a row for each line of the format's rules and for each hazard known from other readers.
 */
const TABLE: readonly (readonly [directory: string, name: string, description: string | RegExp, findings: string])[] = [
  ['aliases-honest', 'aliases-honest', 'Says it once.', ''],
  ['arguments', 'arguments', 'Named arguments.', ''],
  ['blank', REFUSED, '', 'file-empty:1'],
  ['body-code-only', 'body-code-only', /\S/, '*'],
  ['body-html-comment', 'body-html-comment', 'Text after a comment.', 'description-missing:1'],
  ['bom', 'bom', 'Begins with a byte order mark.', ''],
  ['bom-and-crlf', 'bom-and-crlf', 'Both at once.', ''],
  ['claude-fields', 'claude-fields', 'Fields of Claude Code.', ''],
  [
    'code-engine-js',
    'code-engine-js',
    'Described by its body.',
    'frontmatter-engine:1 description-missing:1 name-missing:1',
  ],
  [
    'code-engine-json',
    'code-engine-json',
    'Described by its body, too.',
    'frontmatter-engine:1 description-missing:1 name-missing:1',
  ],
  ['collision-a', 'collision', 'The first of two.', 'name-mismatch:2'],
  ['collision-b', 'collision', 'The second of two.', 'name-mismatch:2 skill-shadowed'],
  ['con', 'con', 'A name that Windows keeps for itself.', 'name-device:2'],
  ['crlf', 'crlf', 'Lines that end in returns.', ''],
  ['custom-tag', 'custom-tag', '!!js/function "function () { globalThis.pwned = true }"', 'yaml-quoted:3'],
  ['dashes-in-block', 'dashes-in-block', 'Above the line\n---\nbelow the line.', ''],
  ['dashes-in-value', 'dashes-in-value', 'Turns --- into a dash --- and back.', ''],
  ['dashes-longer', 'dashes-longer', 'The next line only begins like the end.', ''],
  ['delimiter-trailing-space', 'delimiter-trailing-space', 'Space after the dashes.', ''],
  ['description-empty', 'description-empty', 'Taken from the body.', 'description-missing:1'],
  ['description-folded', 'description-folded', 'Folded over two lines.', ''],
  ['description-folded-keep', 'description-folded-keep', 'Folded, with an end.\nAnd a paragraph.', ''],
  ['description-line', 'description-line', 'Renames files in bulk. Use when: many names are wrong.', NO_FRONTMATTER],
  ['description-line-fenced', 'description-line-fenced', 'Frontmatter in a block of code.', NO_FRONTMATTER],
  ['description-list', 'description-list', 'First part. Second part.', 'field-type:3'],
  ['description-literal', 'description-literal', 'Line one.\n  Indented.\nLine three.', ''],
  ['description-long', 'description-long', /^(?:Long\. ){199}Long\.$/, 'description-long:3'],
  ['description-map', 'description-map', 'Use when: the user asks for a report Not for: slides', 'field-type:3'],
  [
    'description-map-deep',
    'description-map-deep',
    'what: it does: Sorts mail constructor: kept when: someone says: sort and: asks twice',
    'field-type:3',
  ],
  ['description-null', 'description-null', 'Taken from the body as well.', 'description-missing:1'],
  ['description-number', 'description-number', '2026', ''],
  ['description-quotes', 'description-quotes', 'Says "hello": a\tgreeting — é', ''],
  ['duplicate-key', 'duplicate-key', 'The last name wins.', 'yaml-duplicate-key:4'],
  ['empty', REFUSED, '', 'file-empty:1'],
  ['extra-fields', 'extra-fields', 'More fields.', ''],
  ['extra-prototype', 'extra-prototype', 'Keys of JavaScript.', ''],
  ['file-lowercase', 'file-lowercase', 'In skill.md.', ''],
  ['file-mixed-case', 'file-mixed-case', 'In Skill.MD.', ''],
  ['flags', 'flags', 'Flags in words.', ''],
  ['frontmatter-comments', 'frontmatter-comments', 'Kept', ''],
  ['frontmatter-empty', 'frontmatter-empty', 'The body describes the void.', 'description-missing:1 name-missing:2'],
  ['frontmatter-json', 'frontmatter-json', 'JSON is YAML.', ''],
  [
    'frontmatter-list',
    'frontmatter-list',
    'The body describes the list.',
    'yaml-not-mapping:2 description-missing:1 name-missing:2',
  ],
  [
    'frontmatter-missing',
    'frontmatter-missing',
    'The first paragraph describes it.',
    'frontmatter-missing:1 description-missing:1 name-missing:1',
  ],
  [
    'frontmatter-missing-title',
    'frontmatter-missing-title',
    'Only a title',
    'frontmatter-missing:1 description-missing:1 name-missing:1',
  ],
  ['frontmatter-only', 'frontmatter-only', 'No body below.', ''],
  ['frontmatter-second', 'frontmatter-second', 'The first block.', 'frontmatter-second:6'],
  ['frontmatter-unclosed', 'frontmatter-unclosed', 'Never closed.', 'frontmatter-unclosed:1'],
  ['group/deeper/in-deeper', 'in-deeper', 'Nested in two.', ''],
  ['group/in-group', 'in-group', 'Nested in a group.', ''],
  ['head-cut', 'head-cut', 'A character lies across byte 4096.', ''],
  ['head-long', 'head-long', 'Beyond the first four kilobytes.', ''],
  ['kept-as-metadata', 'kept-as-metadata', 'About itself.', ''],
  ['leading-blank-lines', 'leading-blank-lines', 'Blank lines come first.', 'frontmatter-leading-blank:1'],
  ['license-compatibility-metadata', 'license-compatibility-metadata', 'Kept and shown.', ''],
  ['linked', 'linked', 'Reached by a link alone.', ''],
  ['merge-conflict', 'merge-conflict', 'Of the first side.', 'merge-conflict:3 version-completed:5'],
  ['merge-conflict-whole', 'merge-conflict-whole', 'The first file.', 'merge-conflict:1 frontmatter-leading-blank:1'],
  ['metadata-list', 'metadata-list', 'Lists the facts about itself.', NO_FRONTMATTER],
  ['metadata-list-silent', 'metadata-list-silent', 'Has no description among its facts.', NO_FRONTMATTER],
  ['mode-off', 'mode-off', 'Off by default.', ''],
  ['model-and-hints', 'model-and-hints', 'Models.', ''],
  ['name-boolean', 'true', 'A boolean for a name.', 'field-coerced:2 name-mismatch:2'],
  ['name-capitals', 'Name-Capitals', 'Capitals in the name.', 'name-invalid:2 name-mismatch:2'],
  ['name-colon', 'name-colon', 'A colon in the name.', 'name-reserved:2'],
  ['name-control', 'name-control', 'Control characters in the name.', 'name-invalid:2 name-mismatch:2'],
  ['name-emoji', '🦉-owl', 'An emoji in the name.', 'name-invalid:2 name-mismatch:2'],
  ['name-hyphens', '-name--hyphens-', 'Hyphens where they should not be.', 'name-invalid:2 name-mismatch:2'],
  ['name-list', 'name-list', 'A list for a name.', 'field-type:2 name-missing:2'],
  ['name-long', `${'long-'.repeat(13)}name`, 'More than 64 characters.', 'name-invalid:2 name-mismatch:2'],
  ['name-mismatch', 'another-name', 'Not the name of the directory.', 'name-mismatch:2'],
  ['name-missing', 'name-missing', 'No name at all.', 'name-missing:2'],
  ['name-number', '42', 'A number for a name.', 'field-coerced:2 name-mismatch:2'],
  ['name-spaces', 'Name With Spaces', 'Spaces in the name.', 'name-invalid:2 name-mismatch:2'],
  ['name-traversal', '../../etc/passwd', 'A path for a name.', 'name-invalid:2 name-mismatch:2'],
  ['name-underscore', 'name_underscore', 'An underscore in the name.', 'name-invalid:2 name-mismatch:2'],
  ['name-unicode', 'größe-навык-技能', 'Lowercase letters of other scripts.', 'name-mismatch:2'],
  ['nothing-to-say', REFUSED, '', 'description-absent:1'],
  ['outer', 'outer', 'A skill with another inside.', ''],
  ['prose-dollars', 'prose-dollars', 'Costs $25 or $ARGUMENTS.', ''],
  ['prose-ignore-pattern', 'prose-ignore-pattern', 'Names patterns.', ''],
  ['repair-argument-hint', 'repair-argument-hint', 'Two hints.', 'yaml-quoted:4'],
  ['repair-colon', 'repair-colon', 'Use when: the user asks. Note: colons.', 'yaml-quoted:3'],
  ['repair-colon-at-end', 'repair-colon-at-end', 'Handles the following:', 'yaml-quoted:3'],
  ['repair-hopeless', 'repair-hopeless', 'The body describes it.', 'yaml-lines:2 description-missing:1 name-missing:2'],
  ['repair-leading-at', 'repair-leading-at', '@mentions come first.', 'yaml-quoted:3'],
  ['repair-leading-backtick', 'repair-leading-backtick', '`code` comes first.', 'yaml-quoted:3'],
  ['repair-leading-star', 'repair-leading-star', '*emphasis* comes first.', 'yaml-quoted:3'],
  ['repair-lines', 'repair-lines', 'Read line by line.', 'yaml-lines:2'],
  ['repair-quote-then-more', 'repair-quote-then-more', '"Quoted" at first, then more.', 'yaml-quoted:3'],
  ['repair-quote-unclosed', 'repair-quote-unclosed', '"Never closed.', 'yaml-quoted:3'],
  ['repair-tab-indent', 'repair-tab-indent', 'Tabs below.', 'yaml-quoted:4'],
  ['repair-tab-key', 'repair-tab-key', 'Behind a tab.', '*'],
  ['requires', 'requires', 'Needs things.', ''],
  ['requires-openclaw', 'requires-openclaw', 'Needs things, elsewhere.', ''],
  ['spelling-camel', 'spelling-camel', 'Camel case.', ''],
  ['spelling-snake', 'spelling-snake', 'Snake case.', ''],
  ['spelling-twice', 'spelling-twice', 'Both.', 'field-twice:5'],
  ['tags-everywhere', 'tags-everywhere', 'Tags.', ''],
  ['tools-broken', 'tools-broken', 'A parenthesis too few.', 'allowed-tools-entry:4'],
  ['tools-comma', 'tools-comma', 'Tools by commas.', ''],
  ['tools-empty', 'tools-empty', 'No tools named.', ''],
  ['tools-json', 'tools-json', 'Brings tools.', ''],
  ['tools-json-broken', 'tools-json-broken', 'A tools.json that is not JSON.', 'tools-invalid:1'],
  ['tools-json-foreign', 'tools-json-foreign', 'A tools.json of another kind.', 'tools-foreign:1'],
  ['tools-list', 'tools-list', 'Tools in a list.', ''],
  ['tools-space', 'tools-space', 'Tools by spaces.', ''],
  ['triggers', 'triggers', 'Triggers.', ''],
  ['utf8-malformed', REFUSED, '', 'text-malformed:3'],
  ['utf8-malformed-body', 'utf8-malformed-body', 'Only the body is malformed.', ''],
  ['version-exact', 'version-exact', 'A version.', ''],
  ['version-invalid', 'version-invalid', 'No version.', 'version-invalid:4'],
  ['version-number', 'version-number', 'A number for a version.', 'version-completed:4'],
  ['when-to-use', 'when-to-use', 'What.', ''],
  [
    'wrong-types',
    'wrong-types',
    'Wrong types everywhere.',
    'field-type:4 field-type:5 field-type:6 field-type:7 field-type:8',
  ],
  ['yaml-bomb', 'yaml-bomb', 'Expands to a billion.', 'yaml-bomb:2'],
];

/** Findings about a skill or its manifest. */
function findingsAt(directory: string): string {
  const places = new Set(['SKILL.md', 'skill.md', 'Skill.MD', 'tools.json'].map((file) => `${directory}/${file}`));
  const found = snapshot.diagnostics.filter(({ path }) => places.has(placeOf(path)));
  return found.map(({ code, line }) => (line === undefined ? code : `${code}:${line}`)).join(' ');
}

describe('skills in the wild', () => {
  it.each(TABLE)('have the expected name, description and findings: %s', (directory, name, description, findings) => {
    proves('S2.goal.anthropic-compatible', 'S2.FR-2.1.malformed');
    const skill = skills.get(directory);
    if (name === REFUSED) expect(skill).toBeUndefined();
    else {
      expect(skill?.name).toBe(name);
      if (description instanceof RegExp) expect(skill?.description).toMatch(description);
      else expect(skill?.description).toBe(description);
    }
    if (findings !== '*') expect(findingsAt(directory)).toBe(findings);
  });

  it('are all in the table', () => {
    const found = readdirSync(root).filter((name) => !['group', 'skill-file-directory'].includes(name));
    const listed = TABLE.map(([directory]) => directory).filter((directory) => !directory.startsWith('group/'));
    expect(listed).toEqual(found.sort());
    expect(snapshot.diagnostics.filter(({ code }) => code === 'skill-file-directory')).toHaveLength(1);
  });

  it('are refused only if they have neither a description nor a body to take one from', () => {
    const { files } = walkForSkills(root);
    const refused = files.filter((file) => snapshot.refused.some(({ path }) => path === file));
    expect(files.length).toBeGreaterThan(100);
    for (const file of refused) {
      const { hasBody, hasDescription } = readReferenceSkill(file);
      expect({ file, hasBody, hasDescription }).toEqual({ file, hasBody: false, hasDescription: false });
    }
  });

  it('execute nothing while they are read', async () => {
    await manager.discover();
    for (const { qualifiedName, directoryName } of manager.listSkills()) {
      if (directoryName !== 'utf8-malformed-body') await manager.loadSkill(qualifiedName);
    }
    expect(globalThis).not.toHaveProperty('pwned');
    expect(readdirSync(root)).not.toContain('pwned');
  });

  it('keep their text, with and without arguments', async () => {
    expect((await manager.loadSkill('prose-dollars')).processedContent).toMatch(/\n\nIt costs \$25; print \$1\.\n$/);
    expect((await manager.loadSkill('prose-ignore-pattern')).processedContent).toContain(
      'Keep !`*.log` out, and !`touch pwned` too.',
    );
    expect((await manager.invokeSkill('arguments', 'a "b c"')).processedContent).toMatch(/\n\nFrom a to b c\.\n$/);
  });

  it('have all their fields read, even if the frontmatter needs repair', () => {
    const expected: Readonly<Record<string, Partial<SkillMetadata>>> = {
      'repair-argument-hint': { argumentHint: '[file] [page]' },
      'repair-tab-indent': { tags: ['one', 'two'] },
      'repair-lines': { tags: ['one', 'two'] },
      'aliases-honest': { whenToUse: 'Says it once.' },
      'license-compatibility-metadata': {
        license: 'Apache-2.0',
        compatibility: 'Needs git and a network.',
        metadata: { author: 'someone', version: '1.0' },
      },
      'tools-comma': { allowedTools: ['Read', 'Write', 'Bash(git add:*)', 'mcp__a__b'] },
      'tools-space': { allowedTools: ['Read', 'Bash(npm run test)', 'Write'], disallowedTools: ['WebFetch'] },
      'tools-list': { allowedTools: ['Read', 'Bash(git:*)'] },
      'version-exact': { version: '1.2.3-beta.1' },
      'version-number': { version: '1.10.0' },
      'model-and-hints': { model: 'opus', modelHints: { gpt: 'gpt-5', default: 'small' } },
      flags: { disableModelInvocation: true, userInvocable: false, background: true },
      'merge-conflict': { version: '1.10.0' },
      'name-colon': { alias: 'plugin:skill' },
      'tags-everywhere': { tags: ['one', 'two', 'three', 'Data'] },
      triggers: { triggers: ['tool_call_error', 'my_event'] },
      'mode-off': { mode: 'off' },
      'claude-fields': {
        context: 'fork',
        agent: 'Explore',
        effort: 'high',
        shell: 'bash',
        paths: ['src/**', '*.md'],
        hooks: { Stop: [] },
      },
      requires: { requires: { bins: ['git'], env: ['TOKEN'], os: ['linux', 'darwin'] } },
      'requires-openclaw': { requires: { bins: ['git'] } },
      'extra-fields': { extra: { 'x-own': { a: [1, 2] }, 'Unknown Field': 'kept' } },
      'spelling-snake': { allowedTools: ['Read'], argumentHint: '[x]' },
      'spelling-camel': { allowedTools: ['Read'], whenToUse: 'Then.' },
      'spelling-twice': { allowedTools: ['Write'] },
      'group/in-group': { qualifiedName: 'group:in-group' },
      'group/deeper/in-deeper': { qualifiedName: 'group:deeper:in-deeper' },
    };
    for (const [directory, fields] of Object.entries(expected)) expect(skills.get(directory)).toMatchObject(fields);
  });
});
