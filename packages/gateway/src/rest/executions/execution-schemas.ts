import { z } from 'zod';
import { TIME } from '../page-schemas.ts';

export const STATUSES = ['pending', 'running', 'success', 'error', 'timeout', 'cancelled'] as const;

export const EXECUTION: z.ZodObject = z
  .object({
    id: z.string(),
    skillId: z.string(),
    skillName: z.string(),
    version: z.string().nullable(),
    apiKeyId: z.string().nullable(),
    sessionId: z.string().nullable(),
    input: z.unknown(),
    output: z.unknown(),
    status: z.enum(STATUSES),
    errorMessage: z.string().nullable(),
    errorCode: z.string().nullable(),
    durationMs: z.int().nullable(),
    tier: z.string().nullable(),
    createdAt: TIME,
    startedAt: TIME.nullable(),
    endedAt: TIME.nullable(),
  })
  .meta({ id: 'Execution' });

const LISTED_VALUE =
  'Left out when it takes more than 4 KiB as JSON: `{ omitted: true, bytes }` stands there, `shortened` names it, and `GET /api/skills/executions/{id}` has it.';

/** An execution as lists answer it. */
export const LISTED_EXECUTION: z.ZodObject = EXECUTION.extend({
  input: z.unknown().describe(LISTED_VALUE),
  output: z.unknown().describe(LISTED_VALUE),
  shortened: z.array(z.enum(['input', 'output'])).describe('What is left out of this row because it is long.'),
}).meta({ id: 'ListedExecution' });

const ATTEMPT = z.object({
  attempt: z.int(),
  status: z.enum(['running', 'success', 'error', 'timeout', 'cancelled']),
  errorMessage: z.string().nullable(),
  errorCode: z.string().nullable(),
  durationMs: z.int().nullable(),
  startedAt: TIME,
  endedAt: TIME.nullable(),
});

export const EXECUTION_DETAILS: z.ZodObject = EXECUTION.extend({
  attempts: z.array(ATTEMPT).describe('The first one first.'),
}).meta({ id: 'ExecutionDetails' });
