import type { Metrics } from './metrics.ts';

/** The result of a turn with skills, for the metrics. */
export interface CountedTurn {
  /** The id of the upstream. Only configured upstreams occur. */
  readonly upstream: string;
  readonly rounds: number;
  readonly usage: { readonly input: number; readonly output: number } | undefined;
}

/**
 * Metrics of a gateway, except for those of its requests. The values of labels are bounded: upstreams, kinds and codes.
 */
export interface GatewayMetrics {
  turn(turn: CountedTurn): void;
  /** Counts a model's call of a skill's tool that has returned. */
  toolCall(upstream: string, isError: boolean): void;
  /** `code`: the upstream's status, or the reason why none came. */
  upstreamFailure(upstream: string, code: string): void;
  execution(kind: string, status: string): void;
}

export interface Waiting {
  /** Counts pending approvals. */
  readonly approvals: () => Promise<number>;
}

export function createGatewayMetrics(metrics: Metrics, { approvals }: Waiting): GatewayMetrics {
  const turns = metrics.counter('skillwright_turns_total', 'Turns that used skills.', ['upstream']);
  const rounds = metrics.counter('skillwright_rounds_total', 'Requests to models in turns with skills.', ['upstream']);
  const tokens = metrics.counter(
    'skillwright_tokens_total',
    'Tokens of turns with skills, as counted by the upstreams.',
    ['upstream', 'direction'],
  );
  const calls = metrics.counter('skillwright_tool_calls_total', 'Calls of skill tools by models.', [
    'upstream',
    'outcome',
  ]);
  const failures = metrics.counter(
    'skillwright_upstream_failures_total',
    'Failed requests to upstreams, by HTTP status or error code.',
    ['upstream', 'code'],
  );
  const executions = metrics.counter('skillwright_executions_total', 'Finished executions.', ['kind', 'status']);
  metrics.gauge('skillwright_approvals_waiting', 'Pending approvals.', approvals);
  return {
    turn({ upstream, rounds: count, usage }) {
      turns.add(1, upstream);
      rounds.add(count, upstream);
      if (usage === undefined) return;
      tokens.add(usage.input, upstream, 'input');
      tokens.add(usage.output, upstream, 'output');
    },
    toolCall: (upstream, isError) => calls.add(1, upstream, isError ? 'error' : 'ok'),
    upstreamFailure: (upstream, code) => failures.add(1, upstream, code),
    execution: (kind, status) => executions.add(1, kind, status),
  };
}
