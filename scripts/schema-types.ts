// Prints TypeScript interfaces for JSON Schema. openapi-typescript 7 cannot be used: it needs the TypeScript compiler API, which
// TypeScript 7 lacks.

/** The subset of JSON Schema that this project's schemas use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly default?: unknown;
}

/** The comment above an interface or a member. */
export type Describe = (schema: JsonSchema) => string | undefined;

export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** An exported interface for an object. If it extends another, it has only the members that differ. */
export function interfaceText(name: string, schema: JsonSchema, describe: Describe, base?: NamedSchema): string {
  const head = `${comment(describe(schema), '')}export interface ${name}`;
  if (base === undefined) return `${head} ${objectText(schema, '', describe)}`;
  const known = new Set(membersOf(base.schema, '', describe));
  const own = membersOf(schema, '', describe).filter((member) => !known.has(member));
  return `${head} extends ${base.name} {\n${own.join('')}}`;
}

/** A union of texts. */
export function unionOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' | ');
}

function typeText(schema: JsonSchema, indent: string, describe: Describe): string {
  const { $ref, title, type, items, anyOf, allOf } = schema;
  const name = $ref?.split('/').at(-1) ?? title;
  if (name !== undefined) return name;
  if (anyOf !== undefined) return anyOf.map((one) => typeText(one, indent, describe)).join(' | ');
  if (allOf !== undefined) return allOf.map((one) => typeText(one, indent, describe)).join(' & ');
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (schema.enum !== undefined) return unionOf(schema.enum);
  if (type === 'array') {
    const item = typeText(items ?? {}, indent, describe);
    return `readonly ${item.includes(' | ') && !item.startsWith('{') ? `(${item})` : item}[]`;
  }
  if (type === 'object')
    return schema.properties === undefined ? 'Readonly<Record<string, unknown>>' : objectText(schema, indent, describe);
  const names = typeof type === 'string' ? [type] : (type ?? ['unknown']);
  return names.map((one) => (one === 'integer' ? 'number' : one)).join(' | ');
}

function objectText(schema: JsonSchema, indent: string, describe: Describe): string {
  const [member = '', ...others] = membersOf(schema, indent, describe);
  if (others.length === 0 && !member.trim().includes('\n')) return `{ ${member.trim().replace(/;$/, '')} }`;
  return `{\n${[member, ...others].join('')}${indent}}`;
}

function membersOf({ properties = {}, required = [] }: JsonSchema, indent: string, describe: Describe): string[] {
  const deeper = `${indent}  `;
  return Object.entries(properties).map(([key, schema]) => {
    const isThere = schema.default !== undefined || required.includes(key);
    const type = typeText(schema, deeper, describe);
    return `${comment(describe(schema), deeper)}${deeper}readonly ${key}${isThere ? '' : '?'}: ${type}${isThere ? '' : ' | undefined'};\n`;
  });
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  if (text.length + indent.length < 113) return `${indent}/** ${text} */\n`;
  return `${indent}/**\n${text.replaceAll(/(.{1,110})(?: |$)/g, `${indent} * $1\n`)}${indent} */\n`;
}
