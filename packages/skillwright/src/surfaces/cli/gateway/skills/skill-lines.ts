import type { Output } from '../../output.ts';
import { renderTable, type TableColumn } from '../../text/table.ts';
import { toLine } from '../../text/terminal-text.ts';
import { wrapText } from '../../text/text-width.ts';
import { shortId } from '../find-id.ts';
import type { Skill, SkillDetails } from '../client/rest-types.ts';

const MAX_DESCRIPTION = 1000;

/** From here on there is room for ids. */
const WIDE = 120;

/** Skills of a gateway, a line each. */
export function registeredSkillTable(output: Output, skills: readonly Skill[]): string[] {
  const isWide = output.columns >= WIDE;
  const rows = skills.map((skill) => [
    toLine(`${skill.name}@${skill.version}`),
    skill.mode,
    skill.policy,
    skill.kind,
    skill.apiKeyId === null ? 'all' : toLine(shortId(skill.apiKeyId)),
    ...(isWide ? [toLine(shortId(skill.id))] : []),
    toLine(skill.description.slice(0, MAX_DESCRIPTION)),
  ]);
  const columns: readonly TableColumn[] = [
    { heading: 'SKILL', style: 'name', maxWidth: 48 },
    { heading: 'MODE' },
    { heading: 'POLICY' },
    { heading: 'KIND', style: 'dim' },
    { heading: 'KEY', style: 'dim', maxWidth: 12 },
    ...(isWide ? [{ heading: 'ID', style: 'dim', maxWidth: 12 } as const] : []),
    { heading: 'DESCRIPTION' },
  ];
  return renderTable(output, columns, rows);
}

/** Everything about one. */
export function registeredSkillLines(output: Output, skill: SkillDetails): string[] {
  const facts = [
    ['Id', skill.id],
    ['Mode', skill.mode],
    ['Policy', skill.policy],
    ['Kind', skill.handler === null ? skill.kind : `${skill.kind} (${skill.handler})`],
    ['Source', skill.sourceProvider],
    ['Key', skill.apiKeyId ?? 'all'],
    ['Tags', skill.tags.join(', ') || 'none'],
    ['Timeout', skill.timeoutMs === null ? 'default' : `${skill.timeoutMs} ms`],
    ['Retries', skill.retries === null ? 'default' : String(skill.retries)],
    ['Versions', skill.versions.map(({ version, mode }) => `${version} (${mode})`).join(', ')],
  ];
  return [
    output.style('heading', toLine(`${skill.name}@${skill.version}`)),
    ...wrapText(toLine(skill.description), output.proseColumns),
    '',
    ...renderTable(
      output,
      [{ style: 'dim' }, {}],
      facts.map((fact) => fact.map(toLine)),
      { indent: 2, wrap: true },
    ),
    ...section(
      output,
      'Tools',
      skill.tools.map(({ name, description }) => [name, description]),
    ),
    ...section(
      output,
      'Files',
      skill.files.map(({ path, size }) => [path, `${size} bytes`]),
    ),
    ...section(
      output,
      'Problems',
      skill.diagnostics.map(({ code, severity, message }) => [code, `${severity}: ${message}`]),
    ),
  ];
}

function section(output: Output, title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => row.map((cell) => toLine(cell.slice(0, MAX_DESCRIPTION))));
  return [
    '',
    output.style('heading', title),
    ...renderTable(output, [{ style: 'name', maxWidth: 40 }, {}], cells, { indent: 2 }),
  ];
}
