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
  'A value of more than 4 KiB as JSON is replaced by `{ omitted: true, bytes }` and named in `shortened`. `GET /api/skills/executions/{id}` has the whole value.';

/** An execution in the form that lists return. */
export const LISTED_EXECUTION: z.ZodObject = EXECUTION.extend({
  input: z.unknown().describe(LISTED_VALUE),
  output: z.unknown().describe(LISTED_VALUE),
  shortened: z
    .array(z.enum(['input', 'output']))
    .describe('The values that are left out of this row because they are long.'),
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
  attempts: z.array(ATTEMPT).describe('All attempts, oldest first.'),
}).meta({ id: 'ExecutionDetails' });
