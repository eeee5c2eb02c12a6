import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { WireEvent, WireFormatName } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { StreamReader } from '../../../../packages/skillwright/src/spec/formats/model-format.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../../../packages/skillwright/src/testing/index.ts';
import { wireFormat } from '../../../../packages/skillwright/src/wire/format.ts';
import { askAgain } from './hostile-upstream.ts';
import { UPSTREAM_KEY } from './loop-gateway.ts';
import { startUpstream, type SeenRequest } from '../../upstream-server.ts';

/** What one side of a conversation has received so far. */
export interface Hearing {
  hear(events: readonly WireEvent[]): void;
  /** All received text, without white space; calls appear as the names of their tools. */
  readonly all: string;
  /** Resolves once this text has been received. */
  until(heard: string): Promise<void>;
}

export function createHearing(isHeard: (tool: string) => boolean = () => true): Hearing {
  let all = '';
  const waiting = new Set<() => void>();
  const visible = new Set<number>();
  const textOf = (event: WireEvent): string => {
    if (event.type === 'text' || event.type === 'reasoning') return event.text.replaceAll(/\s+/g, '');
    if (event.type === 'call-start' && isHeard(event.name)) {
      visible.add(event.call);
      return `[${event.name}]`;
    }
    return event.type === 'call-arguments' && visible.has(event.call) ? event.text.replaceAll(/\s+/g, '') : '';
  };
  return {
    hear(events) {
      const heard = events.map(textOf).join('');
      if (heard === '') return;
      all += heard;
      for (const wake of waiting) wake();
    },
    get all() {
      return all;
    },
    until: (heard) =>
      new Promise((resolve) => {
        const wake = (): void => {
          if (all.length < heard.length) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      }),
  };
}

/** A provider that sends its next piece only after its client has received the one before. */
export async function startLockStep(
  script: readonly ScriptedTurn[],
  options: { readonly client: Hearing; readonly format: WireFormatName; readonly isVisible: (tool: string) => boolean },
): Promise<Pick<ScriptedModel, 'requests' | 'baseUrl'>> {
  const model = await createScriptedModel({ script, apiKey: UPSTREAM_KEY });
  onTestFinished(() => model.close());
  let before = '';
  const answer = async (request: SeenRequest, response: ServerResponse): Promise<void> => {
    const { format, client } = options;
    const given = await askAgain(model, request);
    response.writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' });
    const said = createHearing(options.isVisible);
    const reader: StreamReader = wireFormat(format).createStreamReader();
    for (const { frame, events } of [...reader.read(Buffer.from(await given.arrayBuffer())), ...reader.end()]) {
      response.write(frame.raw);
      said.hear(events);
      await client.until(before + said.all);
    }
    before += said.all;
    response.end();
  };
  const { url } = await startUpstream((request, response) => void answer(request, response));
  return {
    requests: model.requests,
    baseUrl: (format) => model.baseUrl(format).replace(model.url, url),
  };
}
