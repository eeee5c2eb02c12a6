import { createDiagnostic, type Diagnostic } from '../spec/diagnostic.ts';
import type { DiagnosticCode } from '../spec/diagnostic-data.ts';
import { SPEC_LIMITS } from '../spec/limits.ts';
import type { SkillFields, SkillMode } from '../spec/skill.ts';
import { parseToolList } from './allowed-tools.ts';
import { lineOfKey, sourceTextOf, spellingKey, type FrontmatterSource } from './frontmatter.ts';
import {
  isMap,
  readFlag,
  readList,
  readMap,
  readRequirements,
  readText,
  readTextMap,
  readWords,
  type FieldReading,
} from './skill-field-readers.ts';
import { readVersion } from './skill-version.ts';
import type { YamlEntry, YamlValue } from './yaml-value.ts';

type MutableFields = { -readonly [Field in keyof SkillFields]: SkillFields[Field] };

/** What a field's reader may look at and report to. One per file; `key` moves on. */
interface FieldContext {
  readonly source: FrontmatterSource;
  readonly diagnostics: Diagnostic[];
  /** The key at hand, as spelt in the file. */
  key: string;
}

type FieldReader = (fields: MutableFields, value: YamlValue, context: FieldContext) => void;

/** Types the frontmatter. Unusable values are diagnostics and absent; unknown keys go under `extra`. */
export function readSkillFields(
  entries: readonly YamlEntry[],
  source: FrontmatterSource,
  diagnostics: Diagnostic[],
): SkillFields {
  const fields: MutableFields = {};
  const context: FieldContext = { source, diagnostics, key: '' };
  const readers: FieldReader[] = [];
  for (const [key, value] of entries) {
    context.key = key;
    const reader = FIELD_READERS.get(key) ?? FIELD_READERS.get(spellingKey(key)) ?? keepExtra;
    const earlier = reader === keepExtra || reader === readTags ? -1 : readers.indexOf(reader);
    if (earlier !== -1) report(context, 'field-twice', `'${entries[earlier]?.[0]}' and '${key}' are the same field; '${key}' is used.`);
    readers.push(reader);
    reader(fields, value, context);
  }
  adoptNestedRequirements(fields);
  return fields;
}

function report(context: FieldContext, code: DiagnosticCode, message: string): void {
  const { path, strict } = context.source;
  context.diagnostics.push(createDiagnostic(code, { path, strict, line: lineOfKey(context.source, context.key), message }));
}

function keepExtra(fields: MutableFields, value: YamlValue, context: FieldContext): void {
  const extra = (fields.extra ?? {}) as Record<string, unknown>;
  Object.defineProperty(extra, context.key, { value, enumerable: true, configurable: true, writable: true });
  fields.extra = extra;
  if (context.source.strict) report(context, 'field-unknown', `'${context.key}' is not a field of the specification.`);
}

type TextField = 'license' | 'compatibility' | 'model' | 'whenToUse' | 'author' | 'created' | 'lastUpdated' | 'homepage' | 'context' | 'agent' | 'effort' | 'shell';

/** Runs a reader, reports its problem and answers the value, if any. */
function take<T>(reading: FieldReading<T>, context: FieldContext): T | undefined {
  if (reading.problem !== undefined) report(context, 'field-type', `'${context.key}' ${reading.problem}.`);
  return reading.value;
}

function text(field: TextField): FieldReader {
  return (fields, value, context) => {
    const read = value === null ? undefined : take(readText(value), context);
    if (read !== undefined && read !== '') fields[field] = typeof value === 'number' ? (sourceTextOf(context.source, context.key) ?? read) : read;
  };
}

function flag(field: 'disableModelInvocation' | 'userInvocable' | 'background'): FieldReader {
  return (fields, value, context) => {
    const read = take(readFlag(value), context);
    if (read !== undefined) fields[field] = read;
  };
}

function list(field: 'triggers' | 'arguments', read: (value: YamlValue) => FieldReading<readonly string[]>): FieldReader {
  return (fields, value, context) => {
    const items = take(read(value), context);
    if (items !== undefined && items.length > 0) fields[field] = items;
  };
}

const readName: FieldReader = (fields, value, context) => {
  if (typeof value === 'string') fields.name = value.trim();
  else if (typeof value === 'number' || typeof value === 'boolean') {
    fields.name = sourceTextOf(context.source, context.key) ?? String(value);
    report(context, 'field-coerced', `'${context.key}' is a ${typeof value} in YAML; it was read as the text '${fields.name}'.`);
  } else if (value !== null) take(readText(value), context);
};

const readDescription: FieldReader = (fields, value, context) => {
  const read = typeof value === 'string' ? value.trim() : value === null ? undefined : take(readText(value), context);
  if (read === undefined || read === '') return;
  fields.description = read;
  if (read.length > SPEC_LIMITS.description) {
    report(context, 'description-long', `The description is ${read.length} characters long; the specification allows ${SPEC_LIMITS.description}.`);
  }
};

const readCompatibility: FieldReader = (fields, value, context) => {
  text('compatibility')(fields, value, context);
  const length = fields.compatibility?.length ?? 0;
  if (length > SPEC_LIMITS.compatibility) {
    report(context, 'compatibility-long', `'${context.key}' is ${length} characters long; the specification allows ${SPEC_LIMITS.compatibility}.`);
  }
};

const readVersionField: FieldReader = (fields, value, context) => {
  if (value === null) return;
  const written = typeof value === 'number' ? (sourceTextOf(context.source, context.key) ?? String(value)) : take(readText(value), context);
  if (written === undefined) return;
  const { version, state } = readVersion(written);
  if (version !== undefined) fields.version = version;
  if (state === 'completed') report(context, 'version-completed', `The version '${written}' was read as ${version}.`);
  if (state === 'invalid') report(context, 'version-invalid', `The version '${written}' is not a semantic version and was left out.`);
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
  const items = isMap(value) ? Object.entries(value).map(([name, range]) => `${name}@${String(range)}`) : take(readList(value), context);
  if (items !== undefined && items.length > 0) fields.dependencies = items;
};

/** Authors are often written as `{ name, email }`. */
const readAuthor: FieldReader = (fields, value, context) => {
  const name = isMap(value) ? value['name'] : value;
  text('author')(fields, name ?? value, context);
};

/** `argument-hint: [file]` is a list to YAML, and meant as it is written. */
const readArgumentHint: FieldReader = (fields, value, context) => {
  if (value === null) return;
  const written = Array.isArray(value) ? sourceTextOf(context.source, context.key) : undefined;
  const read = written ?? take(readText(value), context);
  if (read !== undefined && read !== '') fields.argumentHint = read;
};

/** Globs may hold commas inside braces; only a text without braces is split. */
const readPaths: FieldReader = (fields, value, context) => {
  const items = typeof value === 'string' && value.includes('{') ? [value.trim()] : take(readList(value), context);
  if (items !== undefined && items.length > 0) fields.paths = items;
};

const MODES: ReadonlySet<unknown> = new Set<SkillMode>(['on', 'off', 'auto']);

const readMode: FieldReader = (fields, value, context) => {
  const word = typeof value === 'boolean' ? (value ? 'on' : 'off') : typeof value === 'string' ? value.trim().toLowerCase() : value;
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

/** `metadata.openclaw.requires` says the same as `requires`, which wins. */
function adoptNestedRequirements(fields: MutableFields): void {
  if (fields.requires !== undefined || fields.metadata === undefined) return;
  const nested = (fields.metadata as { readonly [key: string]: YamlValue })['openclaw'];
  const requires = isMap(nested) ? nested['requires'] : undefined;
  const requirements = requires === undefined ? undefined : readRequirements(requires).value;
  if (requirements !== undefined) fields.requires = requirements;
}

const FIELD_READERS: ReadonlyMap<string, FieldReader> = withCommonSpellings(
  new Map<string, FieldReader>([
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
    ['when_to_use', text('whenToUse')],
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
  ]),
);

function withCommonSpellings(readers: Map<string, FieldReader>): ReadonlyMap<string, FieldReader> {
  for (const [key, reader] of [...readers]) readers.set(spellingKey(key), reader);
  return readers;
}
