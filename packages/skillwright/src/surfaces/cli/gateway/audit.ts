import type { Invocation } from '../command.ts';
import type { RowColumn } from '../text/table.ts';
import { pageQuery, printPage, timeText } from './answers.ts';
import { withGateway } from './client/open-client.ts';
import type { AuditEntry, RestAnswers } from './client/rest-types.ts';
import { findKey, shortId } from './find-id.ts';

/** Shows who changed what in a gateway, newest first. */
export function run(invocation: Invocation): Promise<number> {
  const { options } = invocation;
  return withGateway(invocation, async (client) => {
    const key = options.text('key');
    const page = await client.get<RestAnswers['listAudit']>('/api/audit', {
      action: options.text('action'),
      targetId: options.text('target'),
      apiKeyId: key === undefined ? undefined : await findKey(client, key),
      ...pageQuery(invocation),
    });
    return printPage(invocation, page, { noun: 'change', rows: page.data, columns: COLUMNS });
  });
}

const COLUMNS: readonly RowColumn<AuditEntry>[] = [
  { heading: 'TIME (UTC)', cell: ({ createdAt }) => timeText(createdAt) },
  { heading: 'ACTION', style: 'name', cell: ({ action }) => action },
  { heading: 'KEY', style: 'dim', cell: ({ apiKeyId }) => (apiKeyId === null ? 'operator' : shortId(apiKeyId)) },
  { heading: 'TARGET', style: 'dim', cell: ({ targetId }) => (targetId === null ? '' : shortId(targetId)) },
  { heading: 'CHANGE', cell: changesOf },
];

/** `mode: off → on`; for a created or removed object, its name. */
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
