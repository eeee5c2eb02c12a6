import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';
import { SPEC_LIMITS } from '../../spec/limits.ts';
import type { SkillFields, SkillMode } from '../../spec/skill.ts';
import { parseToolList } from './allowed-tools.ts';
import {
  MAX_FINDINGS,
  lineOfKey,
  sourceTextOf,
  spellingKey,
  type FrontmatterSource,
} from '../frontmatter/frontmatter.ts';
import {
  isMap,
  readFlag,
  readList,
  readMap,
  readProse,
  readRequirements,
  readText,
  readTextMap,
  readWords,
  type FieldReading,
  readVersion,
} from './field-readers.ts';
import type { YamlValue } from '../frontmatter/yaml-full.ts';

export type MutableFields = { -readonly [Field in keyof SkillFields]: SkillFields[Field] };

/**
 * What the reader of a field may use, and where it reports findings. Each file has one context, whose `key` changes
 * from field to field.
 */
export interface FieldContext {
  readonly source: FrontmatterSource;
  readonly diagnostics: Diagnostic[];
  /** The current key, as spelled in the file. */
  key: string;
  /** How many findings of each kind there were. */
  findings: Map<DiagnosticCode, number> | undefined;
}

export type FieldReader = (fields: MutableFields, value: YamlValue, context: FieldContext) => void;

/** Adds a finding about the current key. */
export function report(context: FieldContext, code: DiagnosticCode, message: string, hint?: string): void {
  const { path, strict } = context.source;
  const findings = (context.findings ??= new Map<DiagnosticCode, number>());
  const found = findings.get(code) ?? 0;
  findings.set(code, found + 1);
  if (found >= MAX_FINDINGS) return;
  context.diagnostics.push(
    createDiagnostic(code, { path, strict, line: lineOfKey(context.source, context.key), message, hint }),
  );
}

type TextField =
  | 'license'
  | 'compatibility'
  | 'model'
  | 'whenToUse'
  | 'author'
  | 'created'
  | 'lastUpdated'
  | 'homepage'
  | 'context'
  | 'agent'
  | 'effort'
  | 'shell';

/** Reports the problem of a reading and returns its value, if any. */
function take<T>(reading: FieldReading<T>, context: FieldContext): T | undefined {
  const { problem, hint } = reading;
  if (problem !== undefined) report(context, 'field-type', `'${context.key}' ${problem}.`, hint);
  return reading.value;
}

function text(field: TextField, readOther: (value: YamlValue) => FieldReading<string> = readText): FieldReader {
  return (fields, value, context) => {
    const read =
      typeof value === 'string' ? value.trim() : value === null ? undefined : take(readOther(value), context);
    if (read !== undefined && read !== '')
      fields[field] = typeof value === 'number' ? (sourceTextOf(context.source, context.key) ?? read) : read;
  };
}

function flag(field: 'disableModelInvocation' | 'userInvocable' | 'background'): FieldReader {
  return (fields, value, context) => {
    const read = take(readFlag(value), context);
    if (read !== undefined) fields[field] = read;
  };
}

function list(
  field: 'triggers' | 'arguments',
  read: (value: YamlValue) => FieldReading<readonly string[]>,
): FieldReader {
  return (fields, value, context) => {
    const items = take(read(value), context);
    if (items !== undefined && items.length > 0) fields[field] = items;
  };
}

const readName: FieldReader = (fields, value, context) => {
  if (typeof value === 'string') fields.name = value.trim();
  else if (typeof value === 'number' || typeof value === 'boolean') {
    fields.name = sourceTextOf(context.source, context.key) ?? String(value);
    report(
      context,
      'field-coerced',
      `'${context.key}' is a ${typeof value} in YAML; it was read as the text '${fields.name}'.`,
    );
  } else if (value !== null) take(readText(value), context);
};

const readDescription: FieldReader = (fields, value, context) => {
  const read = typeof value === 'string' ? value.trim() : value === null ? undefined : take(readProse(value), context);
  if (read === undefined || read === '') return;
  fields.description = read;
  if (read.length > SPEC_LIMITS.description) {
    report(
      context,
      'description-long',
      `The description is ${read.length} characters long; the specification allows ${SPEC_LIMITS.description}.`,
    );
  }
};

const readCompatibility: FieldReader = (fields, value, context) => {
  text('compatibility')(fields, value, context);
  const length = fields.compatibility?.length ?? 0;
  if (length > SPEC_LIMITS.compatibility) {
    report(
      context,
      'compatibility-long',
      `'${context.key}' is ${length} characters long; the specification allows ${SPEC_LIMITS.compatibility}.`,
    );
  }
};

const readVersionField: FieldReader = (fields, value, context) => {
  if (value === null) return;
  const written =
    typeof value === 'string'
      ? value.trim()
      : typeof value === 'number'
        ? (sourceTextOf(context.source, context.key) ?? String(value))
        : take(readText(value), context);
  if (written === undefined) return;
  const { version, state } = readVersion(written);
  if (version !== undefined) fields.version = version;
  if (state === 'completed') report(context, 'version-completed', `The version '${written}' was read as ${version}.`);
  if (state === 'invalid')
    report(context, 'version-invalid', `The version '${written}' is not a semantic version and was ignored.`);
};

function tools(field: 'allowedTools' | 'disallowedTools'): FieldReader {
  return (fields, value, context) => {
    if (value === null) return;
    const { entries, problems } = parseToolList(value);
    for (const problem of problems) report(context, 'allowed-tools-entry', `'${context.key}': ${problem}.`);
    if (entries.length > 0) fields[field] = entries;
  };
}

const readTags: FieldReader = (fields, value, context) => {
  const items = take(readList(value), context);
  if (items !== undefined && items.length > 0) fields.tags = [...new Set([...(fields.tags ?? []), ...items])];
};

const readDependencies: FieldReader = (fields, value, context) => {
  const items = isMap(value)
    ? Object.entries(value).map(([name, range]) => (typeof range === 'object' ? name : `${name}@${range}`))
    : take(readList(value), context);
  if (items !== undefined && items.length > 0) fields.dependencies = items;
};

/** Authors are often written as `{ name, email }`. */
const readAuthor: FieldReader = (fields, value, context) => {
  const name = isMap(value) ? value['name'] : value;
  text('author')(fields, name ?? value, context);
};

/** YAML reads `argument-hint: [file]` as a list, but the author means the text. */
const readArgumentHint: FieldReader = (fields, value, context) => {
  if (value === null) return;
  const written = Array.isArray(value) ? sourceTextOf(context.source, context.key) : undefined;
  const read = written ?? take(readText(value), context);
  if (read !== undefined && read !== '') fields.argumentHint = read;
};

/** Globs may have commas inside braces, so only a text without braces is split. */
const readPaths: FieldReader = (fields, value, context) => {
  const items = typeof value === 'string' && value.includes('{') ? [value.trim()] : take(readList(value), context);
  if (items !== undefined && items.length > 0) fields.paths = items;
};

const MODES: ReadonlySet<unknown> = new Set<SkillMode>(['on', 'off', 'auto']);

const readMode: FieldReader = (fields, value, context) => {
  const word =
    typeof value === 'boolean'
      ? value
        ? 'on'
        : 'off'
      : typeof value === 'string'
        ? value.trim().toLowerCase()
        : value;
  if (MODES.has(word)) fields.mode = word as SkillMode;
  else report(context, 'field-type', `'${context.key}' must be on, off or auto, not ${JSON.stringify(value)}.`);
};

const readMetadata: FieldReader = (fields, value, context) => {
  const map = value === null ? undefined : take(readMap(value), context);
  if (map !== undefined) fields.metadata = map;
};

const readHooks: FieldReader = (fields, value, context) => {
  const map = value === null ? undefined : take(readMap(value), context);
  if (map !== undefined) fields.hooks = map;
};

const readModelHints: FieldReader = (fields, value, context) => {
  const map = value === null ? undefined : take(readTextMap(value), context);
  if (map !== undefined) fields.modelHints = map;
};

const readRequires: FieldReader = (fields, value, context) => {
  const requirements = value === null ? undefined : take(readRequirements(value), context);
  if (requirements !== undefined) fields.requires = requirements;
};

const READERS: ReadonlyMap<string, FieldReader> = new Map<string, FieldReader>([
  ['name', readName],
  ['description', readDescription],
  ['license', text('license')],
  ['compatibility', readCompatibility],
  ['metadata', readMetadata],
  ['allowed-tools', tools('allowedTools')],
  ['disallowed-tools', tools('disallowedTools')],
  ['version', readVersionField],
  ['model', text('model')],
  ['model-hints', readModelHints],
  ['disable-model-invocation', flag('disableModelInvocation')],
  ['user-invocable', flag('userInvocable')],
  ['when_to_use', text('whenToUse', readProse)],
  ['argument-hint', readArgumentHint],
  ['arguments', list('arguments', readWords)],
  ['triggers', list('triggers', readList)],
  ['tags', readTags],
  ['keywords', readTags],
  ['category', readTags],
  ['dependencies', readDependencies],
  ['author', readAuthor],
  ['created', text('created')],
  ['last_updated', text('lastUpdated')],
  ['homepage', text('homepage')],
  ['mode', readMode],
  ['context', text('context')],
  ['agent', text('agent')],
  ['hooks', readHooks],
  ['paths', readPaths],
  ['effort', text('effort')],
  ['shell', text('shell')],
  ['background', flag('background')],
  ['requires', readRequires],
]);

/** The known fields in their usual spelling. */
export const FIELD_NAMES: readonly string[] = [...READERS.keys()];

/** The reader of each known key, under every common spelling. */
export const FIELD_READERS: ReadonlyMap<string, FieldReader> = new Map([
  ...READERS,
  ...[...READERS].map(([key, reader]) => [spellingKey(key), reader] as const),
]);
