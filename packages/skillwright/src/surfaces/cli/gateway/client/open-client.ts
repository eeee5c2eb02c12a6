import { PROGRAM } from '../../../../spec/program.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { trustRule } from '../../../../sources/trust/trust-rule.ts';
import { SkillwrightError } from '../../../../spec/errors/error.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../command.ts';
import { foundConfigQuestion } from '../../serving/found-config-question.ts';
import { importGateway, type HeldGateway } from '../../serving/gateway-module.ts';
import { assertTrustKnown, openTrustStore } from '../../trusting/trust-records.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';

const DEFAULT_URL = 'http://127.0.0.1:4747';
/** The file that identifies a gateway's data directory. */
const DATABASE_NAME = 'gateway.db';

/**
 * Runs `work` with the gateway that the options name. That is either a running gateway, or one that is opened in its
 * data directory for this command and closed afterward, even if the work fails.
 */
export async function withGateway<T>(invocation: Invocation, work: (client: GatewayClient) => Promise<T>): Promise<T> {
  const client = await openClient(invocation);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function openClient(invocation: Invocation): Promise<GatewayClient> | GatewayClient {
  const { options } = invocation;
  const data = options.text('data');
  const url = options.text('url');
  if (data !== undefined && url !== undefined)
    throw usageError('--data and --url cannot be used together.', ['Remove one of them.']);
  if (data === undefined && options.text('config') !== undefined)
    throw usageError('--config can only be used with --data.', ['A running gateway already has its configuration.']);
  if (data !== undefined) return localClient(invocation, data);
  if (url !== undefined) return remoteClient(invocation, url, '--url');
  const { SKILLWRIGHT_URL: known = '' } = invocation.context.env;
  return remoteClient(invocation, known === '' ? DEFAULT_URL : known, 'SKILLWRIGHT_URL');
}

function remoteClient({ context, options }: Invocation, address: string, source: string): GatewayClient {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`${source} needs an address such as ${DEFAULT_URL}, not '${address}'.`);
  const name = url.origin;
  const token = options.text('token') ?? context.env.SKILLWRIGHT_TOKEN;
  return createGatewayClient({
    name,
    origin: name,
    token: token === '' ? undefined : token,
    send: async (request) => {
      try {
        return await fetch(request);
      } catch (error) {
        if (request.signal.aborted) throw error;
        throw unreachable(name, error);
      }
    },
    close: async () => {},
  });
}

function unreachable(name: string, error: unknown): CliError {
  const cause = error instanceof Error ? error.cause : undefined;
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  return new CliError('GatewayUnreachable', `No gateway responds at ${name} (${reason}).`, {
    hints: [
      `'${PROGRAM} serve' starts one.`,
      'Use --url for another address.',
      'Use --data <directory> for the data of a stopped gateway.',
    ],
    data: { gateway: name, reason },
  });
}

async function localClient({ context, options, globals }: Invocation, data: string): Promise<GatewayClient> {
  const directory = resolve(globals.cwd, data);
  if (!existsSync(join(directory, DATABASE_NAME)))
    throw new CliError(
      'PathNotFound',
      `${data} is not a data directory of a gateway, because it has no ${DATABASE_NAME}.`,
      {
        hints: [`'${PROGRAM} serve --data <directory>' creates one. The default is .skillwright.`],
        data: { path: directory },
      },
    );
  const { env } = context;
  const skills = globals.dirs.length === 0 ? {} : { skills: globals.dirs };
  const trust = openTrustStore(context);
  assertTrustKnown(trust);
  const module = await importGateway(globals.cwd, trust);
  const { config, namesSkills } = await module.readConfig({
    cwd: globals.cwd,
    env,
    file: options.text('config'),
    trust,
    confirm: foundConfigQuestion({ context, globals }),
    // No models are requested here, so their keys need not be set.
    overrides: { data: directory, logLevel: 'silent', upstreams: [], ...skills },
  });
  const gateway = await holdGateway(
    () => module.createGateway(config, { env, trust: trustRule(trust, { named: namesSkills }) }),
    data,
  );
  return createGatewayClient({
    name: data,
    origin: 'http://localhost',
    token: undefined,
    send: async (request) => gateway.fetch(request, { operator: true }),
    close: () => gateway.close(),
  });
}

async function holdGateway(open: () => Promise<HeldGateway>, data: string): Promise<HeldGateway> {
  try {
    return await open();
  } catch (error) {
    // The gateway's error codes are not library codes.
    if (!SkillwrightError.isInstance(error) || (error.code as string) !== 'StoreInUse') throw error;
    throw new CliError('GatewayRefused', `A running gateway uses ${data}, and only one process can use it at a time.`, {
      hints: ['Use --url with its address and a token instead of --data.'],
      data: { code: 'StoreInUse', ...error.data },
    });
  }
}
