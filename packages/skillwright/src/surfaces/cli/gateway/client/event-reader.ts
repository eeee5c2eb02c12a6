/** An event of a gateway's stream. */
export interface GatewayEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** More of one event than this is no event of a gateway. */
const MAX_BUFFERED = 64 * 1024 * 1024;

/** Reads server-sent events whose data is JSON; what is none is passed over. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<GatewayEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of body) {
    buffered += decoder.decode(chunk, { stream: true });
    for (let end = buffered.indexOf('\n\n'); end !== -1; end = buffered.indexOf('\n\n')) {
      const event = toEvent(buffered.slice(0, end));
      buffered = buffered.slice(end + 2);
      if (event !== undefined) yield event;
    }
    if (buffered.length > MAX_BUFFERED) return;
  }
}

function toEvent(block: string): GatewayEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
  const text = fields.get('data');
  if (text === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject ? { type: fields.get('event') ?? 'message', data: data as GatewayEvent['data'] } : undefined;
  } catch {
    return undefined;
  }
}
