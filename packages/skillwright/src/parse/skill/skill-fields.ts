import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillFields } from '../../spec/skill.ts';
import { closestName, didYouMean } from '../closest-name.ts';
import { spellingKey, type FrontmatterSource } from '../frontmatter/frontmatter.ts';
import { isMap, readRequirements } from './field-readers.ts';
import { FIELD_NAMES, FIELD_READERS, report, type FieldContext, type MutableFields } from './field-table.ts';
import type { YamlEntry, YamlValue } from '../frontmatter/yaml-full.ts';

/**
 * Reads the frontmatter into typed fields. An unusable value becomes a diagnostic and is left out; unknown keys go to
 * `extra`.
 */
export function readSkillFields(
  entries: readonly YamlEntry[],
  source: FrontmatterSource,
  diagnostics: Diagnostic[],
): SkillFields {
  const fields: MutableFields = {};
  const context: FieldContext = { source, diagnostics, key: '', findings: undefined };
  let hasOtherSpelling = false;
  for (const entry of entries) {
    context.key = entry[0];
    let reader = FIELD_READERS.get(entry[0]);
    if (reader === undefined) {
      reader = FIELD_READERS.get(spellingKey(entry[0])) ?? keepExtra;
      hasOtherSpelling = true;
    }
    reader(fields, entry[1], context);
  }
  if (hasOtherSpelling) reportSpellings(entries, context);
  if (fields.metadata !== undefined && fields.requires === undefined) adoptNestedRequirements(fields, fields.metadata);
  return fields;
}

/** Reports two spellings of one key. Keys that are read together (`tags`, `keywords`) do not conflict. */
function reportSpellings(entries: readonly YamlEntry[], context: FieldContext): void {
  const first = new Map<string, string>();
  for (const [key] of entries) {
    const spelling = spellingKey(key);
    const earlier = first.get(spelling);
    first.set(spelling, key);
    if (earlier === undefined || !FIELD_READERS.has(spelling)) continue;
    context.key = key;
    report(context, 'field-twice', `'${earlier}' and '${key}' are the same field; '${key}' is used.`);
  }
}

function keepExtra(fields: MutableFields, value: YamlValue, context: FieldContext): void {
  const extra = (fields.extra ?? {}) as Record<string, unknown>;
  Object.defineProperty(extra, context.key, { value, enumerable: true, configurable: true, writable: true });
  fields.extra = extra;
  if (!context.source.strict) return;
  const meant = closestName(context.key, FIELD_NAMES);
  report(context, 'field-unknown', `'${context.key}' is not a field of the specification.${didYouMean(meant)}`);
}

/** `metadata.openclaw.requires` means the same as `requires`, which takes precedence. */
function adoptNestedRequirements(fields: MutableFields, metadata: Readonly<Record<string, unknown>>): void {
  const nested = (metadata as { readonly [key: string]: YamlValue })['openclaw'];
  const requires = isMap(nested) ? nested['requires'] : undefined;
  const requirements = requires === undefined ? undefined : readRequirements(requires).value;
  if (requirements !== undefined) fields.requires = requirements;
}
