import type { ConversationResult } from './formats/conversation.ts';
import { isRecord, listOf, parseRecord, textOf, type JsonRecord } from './formats/json-values.ts';

/** How the text of a failure begins, as models are told of it. */
const FAILED = /^(?:Error: |Tool call (?:to \S{1,200} )?failed\b)/;
const MAX_SHOWN = 3_000;
const MAX_ITEMS = 20;

/** Whether a tool failed: formats without a mark for it say so in the text. */
export function isFailure({ text, isError }: ConversationResult): boolean {
  const value = parseRecord(text);
  if (isError || value?.success === false || FAILED.test(text)) return true;
  return value !== undefined && Object.keys(value).join() === 'error';
}

/** What a tool answered, in words. */
export function describeResult(result: ConversationResult, title: string): string {
  const value = parseRecord(result.text);
  if (isFailure(result)) return describeFailure(result.text, value, title);
  if (value !== undefined && typeof value.stdout === 'string') return printed(`The ${title} printed`, value.stdout);
  if (value !== undefined) return `The ${title} answered ${cut(describeRecord(value))}`;
  return printed(`The ${title} answered`, result.text);
}

function describeFailure(text: string, value: JsonRecord | undefined, title: string): string {
  const reason = textOf(value?.error) || (value === undefined ? text : '') || 'it gave no reason';
  const output = [textOf(value?.stdout), textOf(value?.stderr)].filter((part) => part.trim() !== '').join('\n');
  const said = `The ${title} did not succeed: ${cut(reason)}`;
  return output === '' ? said : `${said}\n\n${printed('It printed', output)}`;
}

function printed(said: string, output: string): string {
  const text = output.trimEnd();
  if (text.trim() === '') return `${said} nothing.`;
  if (!text.includes('\n') && text.length <= 200) return `${said}: ${text}`;
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${said}:\n\n${fence}\n${cut(text)}\n${fence}`;
}

/** Plain fields in one sentence; a list of objects with a line for each. */
function describeRecord(value: JsonRecord): string {
  const lists = Object.entries(value).filter(([, item]) => isListOfRecords(item));
  const plain = Object.entries(value).filter(([, item]) => !isListOfRecords(item));
  const lines = lists.flatMap(([name, items]) => [
    '',
    `${name}:`,
    ...listOf(items)
      .slice(0, MAX_ITEMS)
      .map((item) => `- ${fieldsOf(Object.entries(item as JsonRecord))}`),
    ...(listOf(items).length > MAX_ITEMS ? [`- … and ${listOf(items).length - MAX_ITEMS} more`] : []),
  ]);
  return [plain.length === 0 ? '' : `${fieldsOf(plain)}.`, ...lines].join('\n').trimStart();
}

function isListOfRecords(value: unknown): boolean {
  return listOf(value).length > 0 && listOf(value).every(isRecord);
}

function fieldsOf(fields: readonly (readonly [string, unknown])[]): string {
  return fields.map(([name, value]) => `${name}: ${isPlain(value) ? value : JSON.stringify(value)}`).join(', ');
}

/** A text that needs no quotes among others. */
function isPlain(value: unknown): value is string {
  return typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(value);
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
