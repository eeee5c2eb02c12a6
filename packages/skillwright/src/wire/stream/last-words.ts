import { isRecord } from '../json/json-text.ts';

/**
 * What the person said last: the text of the last entry of theirs that has any, under the field where a format keeps it.
 * Results of tools are no words, also where a format sends them as the user's.
 */
export function lastWordsIn(history: readonly unknown[], field: 'content' | 'parts'): string {
  const entries = history.toReversed().filter((entry) => isRecord(entry) && entry.role === 'user');
  for (const entry of entries) {
    const words = isRecord(entry) ? textIn(entry[field]) : '';
    if (words !== '') return words;
  }
  return '';
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n');
}
