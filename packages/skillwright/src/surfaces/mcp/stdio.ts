import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import { servedByProvider, type ProviderParts } from './provider-skills.ts';
import { patientInput } from './patient-input.ts';
import { createSkillsServer, type SkillsServerOptions } from './skills-server.ts';

/** Options of serving on standard input and output. */
export interface StdioOptions
  extends Pick<ProviderParts, 'runtime' | 'projectDir' | 'followOutput'>, Pick<SkillsServerOptions, 'toolPerSkill'> {
  readonly input: Readable;
  /** Gets the protocol's messages and nothing else. */
  readonly output: Writable;
  /** Gets errors in a message, in the connection, or in a skill. */
  readonly onError: (error: Error) => void;
}

/** The tenant name of the only client, which started this process. */
const TENANT = 'mcp';

/** A client's connection. */
export interface StdioServing {
  /** Resolves when the client is gone. */
  readonly ended: Promise<void>;
  /** Ends the connection and cancels its calls. */
  close(): Promise<void>;
}

/** Serves a provider's skills to the client that started this process. */
export function serveSkills(provider: SkillsProvider, options: StdioOptions): StdioServing {
  const { input, output, onError } = options;
  const transport = new StdioServerTransport(patientInput(input, output), output);
  const factory = createSkillsServer(servedByProvider({ ...options, provider: () => provider, tenant: TENANT }), {
    toolPerSkill: options.toolPerSkill,
    onUnpublished: (message) => onError(new Error(message)),
  });
  const handle = serveStdio(factory, { transport, onerror: onError });
  const { onclose } = transport;
  const ended = new Promise<void>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the transport has no addEventListener
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  return { ended, close: () => handle.close() };
}
