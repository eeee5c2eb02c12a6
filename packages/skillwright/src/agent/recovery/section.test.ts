import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { findGeneralSection, findToolSection, shortenSection } from './section.ts';

const SAMPLE = readFileSync(
  new URL('../../../../../skills/tool-call-error-recovery/SKILL.md', import.meta.url),
  'utf8',
);

const call = (tool: string, args: object): string =>
  `\`\`\`json\n${JSON.stringify({ tool_name: tool, arguments: args }, null, 2)}\n\`\`\``;

describe('the section for a tool', () => {
  it("contains only that tool's text and example", () => {
    proves('S3.orch.extract', 'S3.risk.partial', 'S3.skill.granularity');
    const section = findToolSection(SAMPLE, 'FileSystemTool_list_files');
    expect(section?.text).toMatch(/^## Tool: FileSystemTool_list_files\n/);
    expect(section?.text).not.toContain('FileSystemTool_read_file');
    expect(section?.examples.map(({ arguments: args }) => args)).toEqual([{ path: '.' }]);
  });

  it('exists, with an example call, for every tool of the sample skill', () => {
    proves('S3.skill.recovery');
    const tools = [...SAMPLE.matchAll(/^## Tool: (.+)$/gm)].map(([, tool = '']) => tool);
    expect(tools.length).toBeGreaterThan(5);
    for (const tool of tools) expect(findToolSection(SAMPLE, tool)?.examples[0]?.toolName).toBe(tool);
  });

  it.each(['filesystemtool_list_files', 'FileSystemTool-list-files', 'FILESYSTEMTOOL-LIST_FILES'])(
    'is found for the spelling %s',
    (tool) => expect(findToolSection(SAMPLE, tool)?.text).toContain('## Tool: FileSystemTool_list_files'),
  );

  it.each([
    'list_files',
    'FileSystemTool_list',
    'FileSystemTool_list_files_2',
    'tool',
    'Purpose of',
    '',
    '__proto__',
    '.*',
  ])('does not exist in the sample skill for %j', (tool) => expect(findToolSection(SAMPLE, tool)).toBeUndefined());

  it('begins at the deepest heading and ends before the next heading of its level or above', () => {
    const body = '# list_files\n\nAll.\n\n## Calling `list-files`\n\nSo.\n\n### More\n\nStill.\n\n## Other\n\nNo.\n';
    expect(findToolSection(body, 'list_files')?.text).toBe('## Calling `list-files`\n\nSo.\n\n### More\n\nStill.');
  });

  it.each([
    '## list_files()',
    '## How to call list_files and read_file',
    '## `list_files`: a list',
    '  ## **list_files**',
  ])('may have the heading %j', (heading) =>
    expect(findToolSection(`${heading}\r\n\r\nSo.\r\n`, 'list_files')?.text).toContain('So.'),
  );

  it("does not start at a heading that uses the tool's name as an ordinary word", () => {
    expect(findToolSection('## How to search well\n\nLook.\n', 'search')).toBeUndefined();
    expect(findToolSection('## Tool: search\n\nLook.\n', 'search')?.text).toContain('Look.');
    expect(findToolSection('## How to use `search`\n\nLook.\n', 'search')?.text).toContain('Look.');
  });

  it('neither starts nor ends at a heading inside a code block', () => {
    const body = '````text\n# list_files\n```json\n{}\n```\n````\n\n## list_files\n\n~~~sh\n# a comment\n~~~\n\nEnd.\n';
    expect(findToolSection(body, 'list_files')?.text).toBe('## list_files\n\n~~~sh\n# a comment\n~~~\n\nEnd.');
  });

  it('is only the example call if no heading names the tool', () => {
    const body = `# Calls\n\n${call('read_file', { path: 'a' })}\n\n${call('list-files', { path: '.' })}\n`;
    const section = findToolSection(body, 'list_files');
    expect(section?.text).toBe(call('list-files', { path: '.' }));
    expect(section?.examples[0]?.arguments).toEqual({ path: '.' });
  });

  it('lists the example that names the tool first, and leaves out examples of other tools', () => {
    const body = `## list_files, read_file\n\n${call('read_file', { path: 'a.txt' })}\n\n\`\`\`json\n{ "path": "b" }\n\`\`\`\n\n${call('list_files', { path: '.' })}\n`;
    expect(findToolSection(body, 'list_files')?.examples.map(({ arguments: args }) => args)).toEqual([
      { path: '.' },
      { path: 'b' },
    ]);
  });

  it.each([
    ['arguments as text', '{ "name": "list_files", "arguments": "{\\"path\\":\\".\\"}" }', [{ path: '.' }]],
    ['invalid JSON', '{ path: "." }', []],
    ['a value that is not an object', '["path"]', []],
    ['a program', 'rm -rf /', []],
  ])('contains only examples with valid arguments: %s', (_what, json, expected) => {
    const section = findToolSection(`## list_files\n\n\`\`\`json\n${json}\n\`\`\`\n`, 'list_files');
    expect(section?.examples.map(({ arguments: args }) => args)).toEqual(expected);
  });

  it('includes the example of a code block that is never closed', () => {
    expect(findToolSection('## list_files\n\n```json\n{ "path": "." }', 'list_files')?.examples).toHaveLength(1);
  });

  it('is found in linear time in a text designed to be slow', () => {
    const body = [
      `## ${'any '.repeat(100_000)}`,
      `${'#'.repeat(6)} ${'`'.repeat(100_000)}`,
      '- `x` ('.repeat(50_000),
      ...Array.from({ length: 20_000 }, () => '## list_files'),
    ].join('\n');
    expect(findToolSection(body, 'list_files')?.text).toBe('## list_files');
    expect(findGeneralSection(body)).toBeUndefined();
  });
});

describe('the section for tools in general', () => {
  it('is the section with a general title', () => {
    expect(findGeneralSection(SAMPLE)?.text).toMatch(/^## Any other tool\n/);
  });

  it('is the whole text of a short skill', () => {
    expect(findGeneralSection('\nRead the definition.\n')?.text).toBe('Read the definition.');
  });

  it.each([
    ['an empty skill', ' \n'],
    ['a short skill for one tool', '# Help\n\n## Tool: search\n\nGive a `query`.\n'],
    ['a short skill with the name of a tool as heading', '## list_files\n\nGive a path.\n'],
    ['a short skill with a heading in code', '## How to call `search`\n\nGive a query.\n'],
    ['a short skill that shows a call', 'So:\n\n```json\n{ "tool_name": "search", "arguments": {} }\n```\n'],
    ['a long skill without a general section', 'word '.repeat(1_000)],
    ['a long skill with a long general section', `## General\n\n${'word '.repeat(1_000)}`],
  ])('does not exist in %s', (_what, body) => expect(findGeneralSection(body)).toBeUndefined());
});

describe('a long section', () => {
  const body = `## list_files\n\n${'A line about it.\n'.repeat(5_000)}\n${call('list_files', { path: '.' })}\n`;

  it('is cut, but keeps its example', () => {
    const section = findToolSection(body, 'list_files');
    const text = section === undefined ? '' : shortenSection(section, section.examples[0]);
    expect(text.length).toBeLessThan(4_200);
    expect(text).toContain('\n\n[shortened]\n\n```json\n{\n  "tool_name": "list_files"');
    expect(text.endsWith('\n```')).toBe(true);
  });

  it('is never cut inside a code block', () => {
    const section = findToolSection(
      `## list_files\n\nSo:\n\n\`\`\`sh\n${'echo\n'.repeat(5_000)}\`\`\`\n`,
      'list_files',
    );
    expect(section && shortenSection(section, undefined)).toBe('## list_files\n\nSo:\n\n[shortened]');
  });

  it('is cut within the line if it has only one line', () => {
    const text = shortenSection({ text: '😀'.repeat(100_000), examples: [], isForTool: true }, undefined);
    expect(text.length).toBeLessThan(4_100);
    expect(text.isWellFormed()).toBe(true);
  });
});
