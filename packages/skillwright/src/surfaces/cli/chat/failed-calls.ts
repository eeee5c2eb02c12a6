import type { AgentEvent } from '../../../spec/events/agent-events.ts';
import type { ExecutionCode } from '../../../spec/execution.ts';
import type { TraceEvent } from '../../../spec/events/trace.ts';

/** A tool whose last call in a turn failed. */
export interface FailedCall {
  readonly tool: string;
  /** `null` for a failure of a tool's own. */
  readonly code: ExecutionCode | null;
  readonly message: string;
}

/** Watches a turn for calls that were refused or failed. A later call of the same tool that succeeds makes up for it. */
export interface FailedCalls {
  show(event: AgentEvent): void;
  /** Errors are traced before their calls end. */
  showTrace(event: TraceEvent): void;
  readonly all: readonly FailedCall[];
}

export function watchFailedCalls(): FailedCalls {
  const failed = new Map<string, FailedCall>();
  const told = new Map<string, Omit<FailedCall, 'tool'>>();
  return {
    show(event) {
      if (event.type !== 'tool-end') return;
      const { toolName: tool, callId, isError, result } = event;
      failed.delete(tool);
      if (isError) failed.set(tool, { tool, ...(told.get(callId) ?? { code: null, message: result }) });
    },
    showTrace(event) {
      if (event.type !== 'tool_error') return;
      const { callId, code, error: message } = event.data;
      told.set(callId, { code, message });
    },
    get all() {
      return [...failed.values()];
    },
  };
}
