import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../cli-error.ts';

/** What the command needs of the gateway, which is a package of its own and may not be there. */
export interface GatewayModule {
  serve(options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly file?: string | undefined;
    readonly overrides: Readonly<Record<string, unknown>>;
  }): Promise<ServingGateway>;
  readConfig(options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly file?: string | undefined;
    readonly overrides: Readonly<Record<string, unknown>>;
  }): Promise<{ readonly config: { readonly data: string } }>;
  createGateway(
    config: { readonly data: string },
    options: { readonly env: Readonly<Record<string, string | undefined>> },
  ): Promise<HeldGateway>;
}

/** A gateway in this process that listens nowhere. */
export interface HeldGateway {
  fetch(request: Request, bindings: { readonly operator: true }): Response | Promise<Response>;
  close(): Promise<void>;
}

export interface ServingGateway {
  readonly url: string;
  readonly configFile: string | undefined;
  readonly adminToken: string | undefined;
  readonly gateway: {
    readonly config: {
      readonly data: string;
      readonly skills: readonly string[];
      readonly upstreams: readonly { readonly id: string; readonly models: readonly string[] }[];
    };
    readonly skills: { readonly snapshot: { readonly skills: readonly { readonly name: string }[] } };
  };
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

const PACKAGE = '@skillwright/gateway';

/** The gateway that is installed beside this program, or in the project of the working directory. */
export async function importGateway(cwd: string): Promise<GatewayModule> {
  const entry = besideProgram() ?? inProject(cwd);
  if (entry === undefined)
    throw new CliError('GatewayMissing', 'The gateway is a package of its own, and it is not installed.', {
      hints: [`npm install ${PACKAGE}`],
      data: { package: PACKAGE },
    });
  return (await import(entry)) as GatewayModule;
}

function besideProgram(): string | undefined {
  try {
    return import.meta.resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

function inProject(cwd: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(cwd, 'package.json')).resolve(PACKAGE)).href;
  } catch {
    return undefined;
  }
}
