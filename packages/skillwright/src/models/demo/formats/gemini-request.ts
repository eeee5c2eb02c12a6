import { isRecord, listOf, recordOf, type JsonRecord } from './json-values.ts';

/** A field by its name in camel case or snake case: the provider accepts both. */
export function spelled(record: JsonRecord, name: string): unknown {
  return record[name] ?? record[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

export function partsOf(content: JsonRecord): readonly JsonRecord[] {
  return listOf(content.parts).map(recordOf);
}

export interface Declaration {
  readonly declaration: JsonRecord;
  /** The path of the declaration in the request, as errors name it. */
  readonly at: string;
}

/** The provider also accepts a single tool in place of a list. */
export function toolsOf({ tools }: JsonRecord): readonly unknown[] {
  return isRecord(tools) ? [tools] : listOf(tools);
}

export function declarationsOf(body: JsonRecord): readonly Declaration[] {
  return toolsOf(body).flatMap((tool, toolIndex) =>
    listOf(spelled(recordOf(tool), 'functionDeclarations')).map((declaration, index) => ({
      declaration: recordOf(declaration),
      at: `tools[${toolIndex}].function_declarations[${index}]`,
    })),
  );
}
