import type { SkillMetadata, SkillTool } from '../../../spec/skill.ts';
import type { Output } from '../output.ts';
import { renderTable, rowTable, type RowColumn } from '../text/table.ts';
import { toLine } from '../text/terminal-text.ts';

/** The most characters of a line that are processed. Cutting first keeps very long descriptions cheap. */
const LONGEST_LINE = 1_000;

/** The name, source and description of each skill, one per line. The source of an untrusted skill has a star. */
export function skillTable(output: Output, skills: readonly SkillMetadata[]): string[] {
  return rowTable(output, COLUMNS, skills);
}

const COLUMNS: readonly RowColumn<SkillMetadata>[] = [
  { heading: 'NAME', style: 'name', maxWidth: 48, cell: ({ name }) => name },
  { heading: 'SOURCE', style: 'dim', cell: ({ source, trust }) => (trust === 'trusted' ? source : `${source}*`) },
  { heading: 'DESCRIPTION', cell: ({ description }) => description.slice(0, LONGEST_LINE) },
];

/** Like `skillTable`, with each skill's tools below it. */
export function skillTableWithTools(output: Output, skills: readonly SkillMetadata[]): string[] {
  const [heading, ...lines] = skillTable(output, skills);
  return [heading ?? '', ...skills.flatMap((skill, index) => [lines[index] ?? '', ...toolRows(output, skill.tools)])];
}

function toolRows(output: Output, tools: readonly SkillTool[]): string[] {
  const rows = tools.map((tool) => [toLine(tool.name), toLine(tool.description.slice(0, LONGEST_LINE))]);
  return renderTable(output, [{ style: 'good', maxWidth: 40 }, { style: 'dim' }], rows, { indent: 4 });
}
