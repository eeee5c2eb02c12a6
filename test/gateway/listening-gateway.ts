import { onTestFinished } from 'vitest';
import type { Gateway } from '../../packages/gateway/src/app.ts';
import { listenWith } from '../../packages/gateway/src/serve.ts';

export interface LogLines {
  /** The log lines so far. */
  readonly lines: Record<string, unknown>[];
  readonly logDestination: { readonly write: (line: string) => void };
}

export function keepLog(): LogLines {
  const lines: Record<string, unknown>[] = [];
  return { lines, logDestination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) } };
}

export interface ListeningGateway extends Pick<LogLines, 'lines'> {
  readonly gateway: Gateway;
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a gateway on the network, and closes it after the test. */
export async function startListening(
  make: (options: Pick<LogLines, 'logDestination'>) => Promise<Gateway>,
): Promise<ListeningGateway> {
  const { lines, logDestination } = keepLog();
  const gateway = await make({ logDestination });
  const { url, close } = await listenWith(gateway);
  onTestFinished(close);
  return { gateway, url, port: Number(new URL(url).port), lines, close };
}
