import { z } from 'zod';
import type { Approval } from '../approvals/approvals.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { ID, ID_PARAMS, PAGING, SUCCESS, TIME, pageOf } from './page-schemas.ts';
import { routesIn, type RestRequest, type RestRoute } from './rest-route.ts';

const SCOPES = ['once', 'conversation', 'always'] as const;

const APPROVAL = z
  .object({
    id: z.string(),
    skillName: z.string(),
    version: z.string().nullable(),
    digest: z.string().nullable().describe('The digest of the skill that the approval is for.'),
    target: z.string().describe('The tool, script or handler that the call runs.'),
    apiKeyId: z.string().nullable(),
    sessionId: z.string().nullable(),
    input: z.unknown().describe('The input of the call, shortened if it is very long.'),
    status: z.enum(['pending', 'allowed', 'denied', 'expired']),
    scope: z.enum(SCOPES).nullable(),
    decidedBy: z.string().nullable(),
    createdAt: TIME,
    decidedAt: TIME.nullable(),
    expiresAt: TIME.nullable().describe('When the approval expires; null if it is valid until somebody withdraws it.'),
    usedAt: TIME.nullable().describe('When the approved call was made, if the answer has the scope `once`.'),
  })
  .meta({ id: 'Approval' });

const define = routesIn('approvals');

const LIST: RestRoute = define({
  method: 'get',
  path: '/api/approvals',
  operationId: 'listApprovals',
  scopes: ['manage'],
  summary: "List the calls of models that need a person's answer or have one.",
  query: z.object({
    status: z.enum(['pending', 'allowed', 'denied', 'expired']).optional(),
    id: ID.optional().describe('The first characters of the id.'),
    ...PAGING,
  }),
  answer: { description: 'A page of approvals, the newest first.', schema: pageOf(APPROVAL) },
  handle: async ({ query, parts }) => {
    const { page, limit, ...filter } = query;
    return parts.approvals.list(filter, { page, limit });
  },
});

const GET: RestRoute = define({
  method: 'get',
  path: '/api/approvals/{id}',
  operationId: 'getApproval',
  scopes: ['manage'],
  summary: 'Show one approval.',
  params: ID_PARAMS,
  answer: { description: 'The approval.', schema: z.object({ approval: APPROVAL }) },
  failures: ['ApprovalNotFound'],
  handle: async (request) => ({ approval: await approvalOf(request) }),
});

const DECIDE: RestRoute = define({
  method: 'post',
  path: '/api/approvals/{id}',
  operationId: 'decideApproval',
  scopes: ['manage'],
  summary: 'Allow or deny a call of a model.',
  description:
    '`once` applies to this call, `conversation` to the target in the same session, and `always` to the target until the skill changes.',
  params: ID_PARAMS,
  body: z.strictObject({
    decision: z.enum(['allow', 'deny']),
    scope: z.enum(SCOPES).default('once'),
  }),
  answer: {
    description: 'The approval.',
    schema: z.object({ success: z.literal(true), approval: APPROVAL }),
  },
  failures: ['ApprovalNotFound', 'ApprovalDecided'],
  action: 'approval.decide',
  handle: async (request) => {
    const { params, body, caller, parts } = request;
    const before = await approvalOf(request);
    const approval = await parts.approvals.decide(params.id, body.decision, { scope: body.scope, by: caller.apiKeyId });
    if (approval === undefined) throw notFound(params.id);
    await request.record({ targetId: params.id, before: decisionOf(before), after: decisionOf(approval) });
    return { success: true, approval };
  },
});

const WITHDRAW: RestRoute = define({
  method: 'delete',
  path: '/api/approvals/{id}',
  operationId: 'withdrawApproval',
  scopes: ['manage'],
  summary: 'Withdraw an approval or its answer.',
  params: ID_PARAMS,
  answer: { description: 'The approval was withdrawn. The next call needs a new one.', schema: SUCCESS },
  failures: ['ApprovalNotFound'],
  action: 'approval.withdraw',
  handle: async (request) => {
    const before = await approvalOf(request);
    if (!(await request.parts.approvals.withdraw(before.id))) throw notFound(before.id);
    await request.record({ targetId: before.id, before: decisionOf(before) });
    return { success: true };
  },
});

export const APPROVAL_ROUTES: readonly RestRoute[] = [LIST, GET, DECIDE, WITHDRAW];

async function approvalOf({ params, parts }: RestRequest<{ id: string }>): Promise<Approval> {
  const approval = await parts.approvals.get(params.id);
  if (approval === undefined) throw notFound(params.id);
  return approval;
}

function notFound(id: string): GatewayError {
  return new GatewayError('ApprovalNotFound', `There is no approval with the id '${id}'.`, { data: { id } });
}

/** A decision for the audit trail, without the input, which may be private. */
function decisionOf({ skillName, target, status, scope, apiKeyId }: Approval): object {
  return { skillName, target, status, scope, apiKeyId };
}
