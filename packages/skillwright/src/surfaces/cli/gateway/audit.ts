import type { Invocation } from '../command.ts';
import { findKey, shortId } from './find-id.ts';
import type { AuditEntry, RestAnswers } from './client/rest-types.ts';
import { openClient } from './client/open-client.ts';
import { pageQuery, pageText } from './client/page-query.ts';
import { timeText } from './time-text.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../text/table.ts';
import { toLine } from '../text/terminal-text.ts';

/** Who changed what of a gateway, the newest first. */
export async function run(invocation: Invocation): Promise<number> {
  const { output, options, globals } = invocation;
  const client = await openClient(invocation);
  try {
    const key = options.text('key');
    const page = await client.get<RestAnswers['listAudit']>('/api/audit', {
      action: options.text('action'),
      targetId: options.text('target'),
      apiKeyId: key === undefined ? undefined : await findKey(client, key),
      ...pageQuery(invocation),
    });
    if (globals.json) output.json(page);
    else {
      if (page.data.length > 0) output.lines([...auditTable(output, page.data), '']);
      output.line(pageText(page, 'change'));
    }
    return 0;
  } finally {
    await client.close();
  }
}

function auditTable(output: Output, entries: readonly AuditEntry[]): string[] {
  const rows = entries.map((entry) => [
    timeText(entry.createdAt),
    toLine(entry.action),
    entry.apiKeyId === null ? 'operator' : toLine(shortId(entry.apiKeyId)),
    entry.targetId === null ? '' : toLine(shortId(entry.targetId)),
    toLine(changesOf(entry)),
  ]);
  const columns = [
    { heading: 'TIME (UTC)' },
    { heading: 'ACTION', style: 'name' },
    { heading: 'KEY', style: 'dim' },
    { heading: 'TARGET', style: 'dim' },
    { heading: 'CHANGE' },
  ] as const;
  return renderTable(output, columns, rows);
}

/** `mode: off → on`; of what was made or is gone, its name. */
function changesOf({ before, after }: AuditEntry): string {
  if (before === null || after === null) return nameIn(before ?? after ?? {});
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => textOf(before[name]) !== textOf(after[name]));
  return changed.map((name) => `${name}: ${textOf(before[name])} → ${textOf(after[name])}`).join('; ');
}

function nameIn(value: Readonly<Record<string, unknown>>): string {
  const { name, skillName, version } = value;
  const shown = name ?? skillName;
  if (shown === undefined) return '';
  return version === undefined ? textOf(shown) : `${textOf(shown)}@${textOf(version)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
}
