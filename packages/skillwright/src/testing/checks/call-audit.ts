/** A message's tool calls and results. */
export interface CallStep {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

export interface CallFault {
  readonly type: 'unanswered' | 'unknown-result' | 'repeated-call' | 'repeated-result' | 'reordered';
  /** Ids of the faulty calls. */
  readonly ids: readonly string[];
  /** The faulty step. For unanswered calls, the step that made them. */
  readonly step: number;
}

export interface CallRules {
  /** Whether results must be in the step right after the calls. If false, they may be in any later step. */
  readonly areAdjacent: boolean;
  /** The scope in which an id must be unique. */
  readonly uniqueIn: 'step' | 'conversation';
  readonly resultOrder: 'calls' | 'any';
}

interface OpenCall {
  readonly id: string;
  readonly step: number;
}

/** Finds faults in the calls and results of a history: every call must have exactly one result, in the right place. */
export function* auditCalls(steps: readonly CallStep[], rules: CallRules): Generator<CallFault> {
  const seen = new Set<string>();
  const answered = new Set<string>();
  let open: readonly OpenCall[] = [];
  for (const [step, { calls, results }] of steps.entries()) {
    if (rules.uniqueIn === 'step') answered.clear();
    yield* auditResults(results, open, answered, { step, rules });
    open = open.filter(({ id }) => !results.includes(id));
    if (rules.areAdjacent) {
      yield* unanswered(open);
      open = [];
    }
    yield* repeatedCalls(calls, rules.uniqueIn === 'step' ? new Set<string>() : seen, step);
    open = [...open, ...calls.map((id) => ({ id, step }))];
  }
  yield* unanswered(open);
}

function* auditResults(
  results: readonly string[],
  open: readonly OpenCall[],
  answered: Set<string>,
  { step, rules }: { readonly step: number; readonly rules: CallRules },
): Generator<CallFault> {
  let last = -1;
  for (const id of results) {
    const place = open.findIndex((call) => call.id === id);
    if (answered.has(id)) yield { type: 'repeated-result', ids: [id], step };
    else if (place === -1) yield { type: 'unknown-result', ids: [id], step };
    else if (place < last && rules.resultOrder === 'calls') yield { type: 'reordered', ids: [id], step };
    answered.add(id);
    last = Math.max(last, place);
  }
}

function* repeatedCalls(calls: readonly string[], seen: Set<string>, step: number): Generator<CallFault> {
  for (const id of calls) {
    if (seen.has(id)) yield { type: 'repeated-call', ids: [id], step };
    seen.add(id);
  }
}

function* unanswered(open: readonly OpenCall[]): Generator<CallFault> {
  const [first] = open;
  if (first !== undefined) yield { type: 'unanswered', ids: open.map(({ id }) => id), step: first.step };
}
