import type { Output } from '../output.ts';
import { renderTable } from '../text/table.ts';
import { toJsonText, toLine } from '../text/terminal-text.ts';
import { shortId } from './find-id.ts';
import type { ApprovalRow } from './client/gateway-records.ts';
import { timeText } from './time-text.ts';

const MAX_INPUT = 1000;

/** What models asked for, a line each. */
export function approvalTable(output: Output, approvals: readonly ApprovalRow[]): string[] {
  const rows = approvals.map((approval) => [
    shortId(approval.id),
    timeText(approval.createdAt),
    statusText(approval),
    toLine(`${approval.skillName}: ${approval.target}`),
    toLine((JSON.stringify(approval.input) ?? '').slice(0, MAX_INPUT)),
  ]);
  const columns = [
    { heading: 'ID', style: 'dim' },
    { heading: 'TIME (UTC)' },
    { heading: 'STATUS' },
    { heading: 'SKILL', style: 'name', maxWidth: 40 },
    { heading: 'INPUT' },
  ] as const;
  return renderTable(output, columns, rows);
}

/** Everything about one. */
export function approvalDetails(output: Output, approval: ApprovalRow): string[] {
  const { id, skillName, version, target, apiKeyId, sessionId, createdAt, expiresAt, decidedAt, decidedBy } = approval;
  const facts = [
    ['Id', id],
    ['Status', statusText(approval)],
    ['Asked', `${timeText(createdAt)} UTC`],
    ['Key', apiKeyId ?? 'none'],
    ['Session', sessionId ?? 'none'],
    ...(decidedAt === null ? [] : [['Decided', `${timeText(decidedAt)} UTC by ${decidedBy ?? 'the operator'}`]]),
    ...(approval.usedAt === null ? [] : [['Used', `${timeText(approval.usedAt)} UTC`]]),
    ['Until', expiresAt === null ? 'withdrawn' : `${timeText(expiresAt)} UTC`],
  ];
  return [
    output.style('heading', toLine(`${skillName}${version === null ? '' : `@${version}`}: ${target}`)),
    ...renderTable(
      output,
      [{ style: 'dim' }, {}],
      facts.map((fact) => fact.map(toLine)),
      { indent: 2, wrap: true },
    ),
    '',
    output.style('heading', 'Input'),
    ...toJsonText(approval.input)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

/** `pending`, `allowed always`, `allowed once, used` */
function statusText({ status, scope, usedAt }: ApprovalRow): string {
  return `${status}${scope === null ? '' : ` ${scope}`}${usedAt === null ? '' : ', used'}`;
}
