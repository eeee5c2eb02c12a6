import { resolve } from 'node:path';
import type { AgentResult } from '../../../agent/turn/agent-turn.ts';
import { runAgent } from '../../../faces/agent/run-agent.ts';
import { SkillsProvider } from '../../../faces/provider/skills-provider.ts';
import type { SkillsSession } from '../../../faces/provider/skills-session.ts';
import { createTraceFile, type TraceFile } from '../../../record/files/trace-file.ts';
import type { AgentEventListener } from '../../../spec/events/agent-events.ts';
import type { Approve } from '../../../spec/approval.ts';
import type { TraceListener } from '../../../spec/events/trace.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import { readCount } from '../choosing/skill-ranking.ts';
import type { Invocation } from '../command.ts';
import { createErrorOutput, troubleLines } from '../output.ts';
import { openRunSession } from '../running/run-session.ts';
import { readRunSettings } from '../running/run-settings.ts';
import { openChatModel, type ChatModel } from './chat-model.ts';

export interface TurnListeners {
  readonly signal: AbortSignal;
  readonly onEvent: AgentEventListener;
  readonly onTrace: TraceListener;
  /** Asks the user to approve runs. Absent if there is no user to ask. */
  readonly approve?: Approve | undefined;
}

/** A conversation with a model that can use the command line's skills. */
export interface ChatSession {
  readonly model: ChatModel;
  readonly skills: readonly SkillMetadata[];
  /** The path of the trace file, for display. */
  readonly tracePath: string | undefined;
  say(input: string, listeners: TurnListeners): Promise<AgentResult>;
  /** Whether the input asks for a skill by name. */
  isForSkill(input: string): Promise<boolean>;
  /** Clears the conversation and discovers skills again. */
  startOver(): Promise<void>;
  /** Ends running programs, and closes the record and the trace file. */
  close(): Promise<void>;
}

const DEFAULT_MAX_TURNS = 24;

export async function openChatSession(given: Invocation): Promise<ChatSession> {
  const { options } = given;
  const { cwd } = given.globals;
  const invocation = {
    ...given,
    globals: { ...given.globals, dirs: [...given.globals.dirs, ...options.list('skills')] },
  };
  const maxTurns = readCount(options, 'max-turns', DEFAULT_MAX_TURNS);
  const model = openChatModel(invocation);
  const running = await openRunSession(invocation, readRunSettings(invocation));
  const { runtime, snapshot, shown } = running;
  const { createSdkToolMaker } = await import('../../../faces/provider/skills-session.ts');
  const provider = new SkillsProvider(runtime, { cwd }, { snapshot, createSdkTools: createSdkToolMaker() });
  const trace = options.text('trace');
  const traceFile = trace === undefined ? undefined : openTraceFile(resolve(cwd, trace), invocation);
  let session: SkillsSession = provider.session();
  let history: readonly unknown[] = [];
  return {
    model,
    get skills() {
      return session.snapshot.skills;
    },
    tracePath: trace === undefined ? undefined : shown.path(resolve(cwd, trace)),
    async say(input, { signal, onEvent, onTrace, approve }) {
      const result = await runAgent({
        model: model.client,
        input,
        history,
        skills: session,
        system: options.text('system'),
        maxTurns,
        stream: !options.flag('no-stream'),
        signal,
        onEvent,
        approve,
        onTrace(event) {
          traceFile?.listener(event);
          onTrace(event);
        },
      });
      history = result.messages;
      return result;
    },
    isForSkill: async (input) => (await session.triggers.find('explicit_command', { command: input })).length > 0,
    async startOver() {
      await provider.refresh();
      session = provider.session();
      history = [];
    },
    async close() {
      await provider.close();
      await running.close();
      await model.client.close?.();
      await traceFile?.close();
    },
  };
}

function openTraceFile(path: string, { context }: Invocation): TraceFile {
  const output = createErrorOutput(context);
  return createTraceFile(path, {
    onError: ({ message }) => output.lines(troubleLines(output, 'warning', { message })),
  });
}
