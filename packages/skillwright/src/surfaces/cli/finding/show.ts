import type { SkillMetadata } from '../../../spec/skill.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { amount, findingLines, withShownPaths } from '../validating/findings.ts';
import { openSkills, type OpenedSkills } from './locations.ts';
import { section, type Output } from '../output.ts';
import { readDetails, type SkillDetails, skillFields } from './skill-details.ts';
import { renderTable } from '../text/table.ts';
import { toBlock, toLine, padText, textWidth, wrapText } from '../text/terminal-text.ts';
import { toolLines } from './tool-lines.ts';

const FILES_SHOWN = 12;
const LONGEST_TEXT = 2_000;

export async function run(invocation: Invocation): Promise<number> {
  const { output, positionals, options } = invocation;
  const opened = openSkills(invocation);
  const details = await readDetails(opened, positionals[0] ?? '');
  return printAnswer(invocation, toJson(details, options.flag('body')), () => [
    ...headLines(output, details.skill),
    ...fieldLines(output, skillFields(details, opened.shown)),
    ...toolSection(output, details.skill),
    ...fileSection(output, details, options.flag('files')),
    ...problemSection(output, details, opened),
    ...(options.flag('body') ? bodySection(output, details) : []),
  ]);
}

function toJson(details: SkillDetails, withBody: boolean): unknown {
  if (withBody || 'problem' in details.body) return details;
  const { characters, estimatedTokens } = details.body;
  return { ...details, body: { characters, estimatedTokens } };
}

function headLines(output: Output, skill: SkillMetadata): string[] {
  const version = skill.version === undefined ? '' : `  ${output.style('dim', toLine(skill.version))}`;
  const cut = skill.description.length > LONGEST_TEXT;
  const description =
    toLine(skill.description.slice(0, LONGEST_TEXT)) +
    (cut ? ` … (${amount(skill.description.length, 'character')}; --json has all)` : '');
  return [
    `${output.style('heading', toLine(skill.name))}${version}`,
    ...wrapText(description, output.proseColumns),
    '',
  ];
}

function fieldLines(output: Output, fields: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...fields.map(([name]) => textWidth(name)));
  return fields.flatMap(([name, value]) =>
    wrapText(toLine(value.slice(0, LONGEST_TEXT)), output.proseColumns - width - 4).map(
      (line, index) => `  ${output.style('dim', padText(index === 0 ? name : '', width))}  ${line}`,
    ),
  );
}

function toolSection(output: Output, { tools }: SkillMetadata): string[] {
  const lines = tools.flatMap((tool) => toolLines(output, tool));
  return section(output, `Tools (${tools.length})`, lines);
}

function fileSection(output: Output, { files, scripts }: SkillDetails, showAll: boolean): string[] {
  const shown = showAll ? files : files.slice(0, FILES_SHOWN);
  const runnable = new Set(scripts);
  const rows = shown.map(({ path, bytes }) => [toLine(path), sizeOf(bytes), runnable.has(path) ? 'script' : '']);
  const more = files.length - shown.length;
  return [
    '',
    output.style(
      'heading',
      `Files (${files.length}${scripts.length === 0 ? '' : `, ${amount(scripts.length, 'script')}`})`,
    ),
    ...renderTable(output, [{ style: 'name', maxWidth: 60 }, {}, { style: 'dim' }], rows, { indent: 2 }),
    ...(more > 0 ? [output.style('dim', `  … and ${more} more; --files lists all of them`)] : []),
  ];
}

function problemSection(output: Output, { diagnostics, body }: SkillDetails, { shown }: OpenedSkills): string[] {
  if (diagnostics.length === 0) return 'problem' in body ? [] : ['', output.style('good', 'No problems.')];
  const lines = diagnostics.flatMap((diagnostic) => findingLines(output, withShownPaths(diagnostic, shown), '  '));
  return section(output, 'Problems', lines);
}

function bodySection(output: Output, { body }: SkillDetails): string[] {
  if ('problem' in body) return [];
  return section(output, 'Instructions', toBlock(body.content).trim().split('\n'));
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size.toFixed(1)} ${unit}`;
}
