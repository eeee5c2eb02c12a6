import { parseInsidePath } from '../../parse/inside-path.ts';
import { isJsonObject } from '../../parse/json/json-source.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { DIAGNOSTIC_DATA } from '../../spec/diagnostics/diagnostic-data.ts';
import type { SkillFields, SkillRequirements, SkillTool } from '../../spec/skill.ts';

/** Whether a value has the expected form; the file may contain anything. */
type Check = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isTextRecord: Check = (value) => isJsonObject(value) && Object.values(value).every(isText);
const isMode: Check = (value) => value === 'on' || value === 'off' || value === 'auto';
const isSeverity: Check = (value) => value === 'error' || value === 'warning' || value === 'info';
const isRequirements: Check = (value) => hasOnly(value, REQUIREMENTS);

/** The optional fields of a head, in addition to its name and description. Other fields are rejected. */
const FIELDS: Readonly<Record<Exclude<keyof SkillFields, 'name' | 'description'>, Check>> = {
  license: isText,
  compatibility: isText,
  metadata: isJsonObject,
  allowedTools: isTexts,
  disallowedTools: isTexts,
  version: isText,
  model: isText,
  modelHints: isTextRecord,
  disableModelInvocation: isFlag,
  userInvocable: isFlag,
  whenToUse: isText,
  argumentHint: isText,
  arguments: isTexts,
  triggers: isTexts,
  tags: isTexts,
  mode: isMode,
  dependencies: isTexts,
  author: isText,
  created: isText,
  lastUpdated: isText,
  homepage: isText,
  context: isText,
  agent: isText,
  hooks: isJsonObject,
  paths: isTexts,
  effort: isText,
  shell: isText,
  background: isFlag,
  requires: isRequirements,
  extra: isJsonObject,
};
const REQUIREMENTS: Readonly<Record<keyof SkillRequirements, Check>> = {
  bins: isTexts,
  anyBins: isTexts,
  env: isTexts,
  os: isTexts,
};

export const isFields = (value: unknown): value is SkillFields => hasOnly(value, FIELDS);

export function isDiagnostics(value: unknown): value is readonly Diagnostic[] {
  return Array.isArray(value) && value.every(isDiagnostic);
}

function isDiagnostic(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { code, severity, category, path, line, message, hint } = value;
  return (
    isText(code) &&
    Object.hasOwn(DIAGNOSTIC_DATA, code) &&
    isSeverity(severity) &&
    category === DIAGNOSTIC_DATA[code as keyof typeof DIAGNOSTIC_DATA].category &&
    isText(path) &&
    isText(message) &&
    (line === undefined || Number.isSafeInteger(line)) &&
    (hint === undefined || isText(hint))
  );
}

export function isTools(value: unknown): value is readonly SkillTool[] {
  return Array.isArray(value) && value.every(isTool);
}

function isTool(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name, description, script, inputSchema } = value;
  return isText(name) && isText(description) && (script === undefined || isInside(script)) && isSchema(inputSchema);
}

function isInside(script: unknown): boolean {
  return isText(script) && 'path' in parseInsidePath(script);
}

function isSchema(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { type, properties, required } = value;
  return type === 'object' && isJsonObject(properties) && (required === undefined || isTexts(required));
}

/** An object with only these fields, each valid. */
function hasOnly(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  return (
    isJsonObject(value) &&
    Object.entries(value).every(([name, field]) => Object.hasOwn(checks, name) && checks[name]?.(field) === true)
  );
}
