import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillTool } from '../../spec/skill.ts';
import { closestName } from '../closest-name.ts';
import { parseInsidePath } from '../inside-path.ts';
import { isJsonObject, parseJson } from '../json/json-source.ts';
import { brokenJson, createManifestReport, type ManifestContext, type ManifestReport } from './manifest-fields.ts';
import { createPatternBudget, type PatternBudget } from '../hazard/pattern-hazard.ts';
import { schemaHazard } from '../hazard/schema-hazard.ts';
import { shown } from '../shown-value.ts';
import { toInputSchema } from './tool-schema.ts';

export interface ParsedToolsManifest {
  /** The tools in the order of the file, with unique names, deeply frozen. */
  readonly tools: readonly SkillTool[];
  readonly diagnostics: readonly Diagnostic[];
}

const NAME = /^[a-z][a-z0-9_]*$/;

/**
 * Reads the text of a tools.json. Never throws: text that is not JSON, or clearly not a list of tools, returns no tools
 * and a diagnostic. An unusable tool is skipped with a diagnostic.
 */
export function parseToolsManifest(text: string, context: ManifestContext): ParsedToolsManifest {
  const source = parseJson(text);
  if (!source.ok) return { tools: [], diagnostics: [brokenJson('tools-invalid', source, context)] };
  const report = createManifestReport(source, context);
  const entries = source.value;
  if (!Array.isArray(entries)) {
    report.add(
      'tools-foreign',
      [],
      `It contains ${shown(entries)} instead of an array of tools; the skill has no tools.`,
    );
    return { tools: [], diagnostics: report.diagnostics() };
  }
  if (entries.length > 0 && !entries.some((entry) => isJsonObject(entry) && entry.name !== undefined)) {
    report.add('tools-foreign', [], 'No entry of its array is an object with a name; the skill has no tools.');
    return { tools: [], diagnostics: report.diagnostics() };
  }

  const tools = new Map<string, SkillTool>();
  const positions = new Map<string, number>();
  const budget = createPatternBudget();
  for (const [index, entry] of entries.entries()) {
    const read = parseTool(entry, { index, report, budget });
    if ('problem' in read) {
      report.add(
        read.code ?? 'tool-invalid',
        [index, ...(read.field === undefined ? [] : [read.field])],
        `${read.problem}; the tool is skipped.`,
      );
      continue;
    }
    const { name } = read.tool;
    const earlier = positions.get(name);
    if (earlier === undefined) {
      tools.set(name, read.tool);
      positions.set(name, index);
    } else {
      const line = source.lineOf([earlier, 'name']) ?? 1;
      report.add(
        'tool-duplicate',
        [index, 'name'],
        `The tool ${shown(name)} is already declared on line ${line}; this one is skipped.`,
      );
    }
  }
  return { tools: Object.freeze([...tools.values()]), diagnostics: report.diagnostics() };
}

/** The line on which each tool of a tools.json names its script. Empty if the text is not a tools.json. */
export function scriptLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const source = parseJson(text);
  if (!source.ok || !Array.isArray(source.value)) return lines;
  for (const [index, entry] of source.value.entries()) {
    const line = source.lineOf([index, 'script']);
    if (isJsonObject(entry) && typeof entry.name === 'string' && line !== undefined && !lines.has(entry.name))
      lines.set(entry.name, line);
  }
  return lines;
}

interface ToolContext {
  readonly index: number;
  readonly report: ManifestReport;
  /** The work that analyzing the patterns of all tools together may take. */
  readonly budget: PatternBudget;
}

function parseTool(
  entry: unknown,
  { index, report, budget }: ToolContext,
):
  | { readonly tool: SkillTool }
  | { readonly problem: string; readonly field?: string; readonly code?: 'tool-schema-unsafe' } {
  if (!isJsonObject(entry)) return { problem: `Entry ${index + 1} must be an object with a name, not ${shown(entry)}` };
  const { name, description } = entry;
  if (name === undefined) return { problem: `Entry ${index + 1} has no name${misspelt(entry, 'name')}`, field: 'name' };
  if (typeof name !== 'string')
    return { problem: `Entry ${index + 1} must have a name that is text, not ${shown(name)}`, field: 'name' };
  if (!NAME.test(name)) {
    const rule = 'lowercase letters, digits and underscores, beginning with a letter';
    return { problem: `The name ${shown(name)} breaks the rule for tools (${rule})`, field: 'name' };
  }
  const label = `The tool ${shown(name)}`;
  if (typeof description !== 'string' || description.trim() === '') {
    const guess = description === undefined ? misspelt(entry, 'description') : '';
    return { problem: `${label} must have a description that says when to use it${guess}`, field: 'description' };
  }

  // Some writers leave a field out by setting it to `null`.
  const script = entry.script ?? undefined;
  const path = typeof script === 'string' ? parseInsidePath(script) : undefined;
  if (path === undefined && script !== undefined)
    return { problem: `${label} has a script that is not text`, field: 'script' };
  if (path !== undefined && 'problem' in path) {
    return {
      problem: `The script ${shown(script)} of ${shown(name)} ${path.problem}, and must be a file inside the skill`,
      field: 'script',
    };
  }
  if (path?.path === '.')
    return {
      problem: `The script ${shown(script)} of ${shown(name)} is the skill itself, not a file`,
      field: 'script',
    };

  const read = toInputSchema(entry.parameters, (at, message, minor) => {
    const severity = minor === undefined || report.strict ? undefined : 'info';
    report.add('tool-parameter', [index, 'parameters', ...at], `Tool ${shown(name)}: ${message}`, severity);
  });
  if ('problem' in read) return { problem: `${label}: ${read.problem}`, field: 'parameters' };
  const hazard = schemaHazard(read.schema, budget);
  if (hazard !== undefined) return { problem: `${label}: ${hazard}`, field: 'parameters', code: 'tool-schema-unsafe' };
  const tool = { name, description, ...(path === undefined ? {} : { script: path.path }), inputSchema: read.schema };
  return { tool: Object.freeze(tool) };
}

const MAX_FIELDS_COMPARED = 50;

/** Names the existing field that is probably a misspelling of the missing one. */
function misspelt(entry: Readonly<Record<string, unknown>>, field: string): string {
  const guess = closestName(field, Object.keys(entry).slice(0, MAX_FIELDS_COMPARED));
  return guess === undefined ? '' : ` (it has ${shown(guess)}; did you mean ${shown(field)}?)`;
}
