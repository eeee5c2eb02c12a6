import { PROGRAM, type TrustStore } from 'skillwright/host';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { GatewayError } from '../spec/gateway-error.ts';
import type { GatewayConfig } from './config.ts';

/**
 * A configuration file that the gateway found although nobody named it, with those settings that could run code or send
 * keys elsewhere.
 */
export interface FoundConfig extends Pick<GatewayConfig, 'skills' | 'handlers' | 'upstreams' | 'anonymous'> {
  readonly file: string;
  /** The directory to trust, with links resolved. */
  readonly directory: string;
  /** Names of the other settings in the file. */
  readonly others: readonly string[];
}

/** Asks a person whether to trust the directory of a found configuration. */
export type ConfirmConfig = (found: FoundConfig) => Promise<boolean>;

/** Decides whether a configuration file that was found may be used. */
export interface FoundConfigRule {
  /** What the user has recorded about directories. Default: nothing. */
  readonly trust?: TrustStore | undefined;
  /** Called if nothing is recorded about the directory. A yes is recorded. Default: the file is refused. */
  readonly confirm?: ConfirmConfig | undefined;
}

/** Settings that a person is shown in full before deciding on trust, and `$schema`, which only editors use. */
const SHOWN = new Set(['skills', 'handlers', 'upstreams', 'anonymous', '$schema']);

/**
 * Throws unless the directory of a found file is recorded as trusted: a cloned repository may contain such a file,
 * which can run code and send keys to any host.
 */
export async function assertFoundConfig(
  { file, content, config }: { readonly file: string; readonly content: object; readonly config: GatewayConfig },
  { trust, confirm }: FoundConfigRule,
): Promise<void> {
  const directory = realpathSync(dirname(file));
  const level = trust?.levelOf(directory);
  if (level === 'trusted') return;
  if (trust !== undefined && confirm !== undefined && level !== 'blocked') {
    const { skills, handlers, upstreams, anonymous } = config;
    const others = Object.keys(content).filter((key) => !SHOWN.has(key));
    if (await confirm({ file, directory, skills, handlers, upstreams, anonymous, others })) {
      await trust.set(directory, 'trusted');
      return;
    }
  }
  const message = `${file} was found but is ignored, because its directory is not trusted. Name the file with --config, or trust the directory: ${PROGRAM} trust ${directory}`;
  throw new GatewayError('ConfigurationUntrusted', message, { data: { file, directory, level: level ?? 'untrusted' } });
}
