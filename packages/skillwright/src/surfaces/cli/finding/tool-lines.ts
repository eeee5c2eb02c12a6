import type { SkillTool } from '../../../spec/skill.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../text/table.ts';
import { toLine, wrapText } from '../text/terminal-text.ts';

/** A tool and its parameters, for people. */
export function toolLines(output: Output, tool: SkillTool): string[] {
  const { name, script, description, inputSchema } = tool;
  const required = new Set(inputSchema.required ?? []);
  const rows = Object.entries(inputSchema.properties).map(([parameter, schema]) => [
    toLine(parameter),
    typeOf(schema),
    required.has(parameter) ? 'required' : 'optional',
    descriptionOf(schema),
  ]);
  return [
    `  ${output.style('good', toLine(name))}  ${output.style('dim', script === undefined ? 'answers with the instructions' : toLine(script))}`,
    ...wrapText(toLine(description), output.proseColumns - 4).map((line) => `    ${line}`),
    ...renderTable(output, [{ style: 'name', maxWidth: 32 }, { maxWidth: 24 }, { style: 'dim' }, {}], rows, {
      indent: 6,
      wrap: true,
    }),
  ];
}

/** `string`, `array of string`, `"a" or "b"`. */
function typeOf(schema: unknown): string {
  const { type, items, enum: values } = asObject(schema);
  if (Array.isArray(values)) return toLine(values.map((value) => JSON.stringify(value)).join(' or '));
  if (type === 'array' && items !== undefined) return `array of ${typeOf(items)}`;
  if (Array.isArray(type)) return toLine(type.map(String).join(' or '));
  return typeof type === 'string' ? toLine(type) : 'anything';
}

function descriptionOf(schema: unknown): string {
  const { description, default: standard } = asObject(schema);
  const text = typeof description === 'string' ? description : '';
  return toLine(standard === undefined ? text : `${text} (default ${JSON.stringify(standard)})`);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
