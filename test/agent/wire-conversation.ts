import type { SkillsSession } from '../../packages/skillwright/src/index.ts';
import type { ToolOutcome } from '../../packages/skillwright/src/host.ts';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import type { AssistantTurn, WireBody, WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';

export interface Talk {
  readonly format: WireFormatName;
  readonly stream: boolean;
  readonly session: SkillsSession;
  readonly input: string;
}

export interface Talked {
  /** The model's last turn. */
  readonly turn: AssistantTurn;
  /** The request that starts the next round. */
  readonly body: WireBody;
  /** By call id. */
  readonly outcomes: ReadonlyMap<string, ToolOutcome>;
}

const MAX_ROUNDS = 12;
/** How often failed rounds are retried; they leave nothing in the history. */
const MAX_BROKEN = 2;

/** Talks with a scripted model over HTTP in a given format, as a host does without a vendor's client. */
export async function talk(model: ScriptedModel, { format: name, stream, session, input }: Talk): Promise<Talked> {
  const format = wireFormat(name);
  const tools = session.toolsFor(name).length === 0 ? [] : session.tools.map(toDefinition);
  let body = format.createRequest({ model: 'any', system: session.systemPrompt, input, tools, stream });
  const outcomes = new Map<string, ToolOutcome>();
  let broken = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const turn = await ask(model, { name, stream, body });
    if (turn.stop === 'error') {
      broken += 1;
      if (broken > MAX_BROKEN) return { turn, body, outcomes };
      continue;
    }
    const results = await Promise.all(
      turn.calls.map(async (call) => {
        const outcome = await session.execute(call.name, call.argumentsText);
        outcomes.set(call.id, outcome);
        return { callId: call.id, name: call.name, content: outcome.content, isError: outcome.isError };
      }),
    );
    body = format.appendTurn(body, turn, results);
    if (results.length === 0) return { turn, body, outcomes };
  }
  throw new RangeError(`The model did not finish within ${MAX_ROUNDS} rounds.`);
}

/** One round. A response that is missing or breaks off becomes a turn that stopped with an error. */
export async function ask(
  model: ScriptedModel,
  { name, stream, body }: { name: WireFormatName; stream: boolean; body: WireBody },
): Promise<AssistantTurn> {
  const format = wireFormat(name);
  const { path, headers } = format.target({ model: 'any', stream, apiKey: 'key' });
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${model.baseUrl(name)}${path}`, request);
  if (!stream || !response.ok) return format.readResponse(await response.json().catch(() => undefined));
  const reader = format.createStreamReader();
  try {
    for await (const chunk of response.body ?? []) reader.read(chunk as Uint8Array);
  } catch {
    // The connection broke: `end` reports it.
  }
  reader.end();
  return reader.turn();
}

function toDefinition(
  tool: SkillsSession['tools'][number],
): Parameters<ReturnType<typeof wireFormat>['encodeTools']>[0][number] {
  const { name, description, parameters } = tool;
  return { name, description, inputSchema: { properties: {}, ...parameters, type: 'object' } };
}
