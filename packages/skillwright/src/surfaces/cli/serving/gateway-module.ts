import { PROGRAM } from '../../../spec/program.ts';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { realPathOf } from '../../../sources/real-path.ts';
import type { TrustStore } from '../../../sources/trust/trust-store.ts';
import type { RunCheck } from '../../../run/admission/run-checks.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { DecideTrust } from '../../../spec/trust.ts';
import { CliError } from '../cli-error.ts';
import { joinWords } from '../text/terminal-text.ts';

/** The parts of the gateway that the command uses. The gateway is a separate package that may not be installed. */
export interface GatewayModule {
  serve(
    options: ConfigPlace & {
      readonly home: string;
      readonly confirmConfig: ConfirmConfig | undefined;
    },
  ): Promise<ServingGateway>;
  readConfig(
    options: ConfigPlace & {
      readonly trust: TrustStore;
      readonly confirm: ConfirmConfig | undefined;
    },
  ): Promise<{ readonly config: { readonly data: string }; readonly namesSkills: boolean }>;
  createGateway(
    config: { readonly data: string },
    options: { readonly env: Readonly<Record<string, string | undefined>>; readonly trust: DecideTrust },
  ): Promise<HeldGateway>;
}

/** Where to look for the configuration. */
interface ConfigPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: string | undefined;
  readonly overrides: Readonly<Record<string, unknown>>;
}

/**
 * A configuration file that was not named on the command line, with its settings that could run code or send keys
 * somewhere.
 */
export interface FoundConfig {
  readonly file: string;
  /** The directory that would be trusted. */
  readonly directory: string;
  readonly skills: readonly string[];
  readonly handlers: string;
  readonly upstreams: readonly {
    readonly id: string;
    readonly baseUrl: string;
    readonly apiKeyEnv?: string | undefined;
  }[];
  readonly anonymous: string;
  /** Names of the other settings in the file. */
  readonly others: readonly string[];
}

type ConfirmConfig = (found: FoundConfig) => Promise<boolean>;

/** A gateway in this process that does not listen on a port. */
export interface HeldGateway {
  fetch(request: Request, bindings: { readonly operator: true }): Response | Promise<Response>;
  close(): Promise<void>;
}

/** A skill of the gateway, and whether its scripts and tools can run here. */
export interface ServedSkill {
  readonly skill: Pick<SkillMetadata, 'name' | 'baseDir' | 'trust' | 'mode' | 'disableModelInvocation'>;
  readonly check: RunCheck | undefined;
}

export interface ServingGateway {
  readonly url: string;
  readonly configFile: string | undefined;
  readonly adminToken: string | undefined;
  /** A key with the scope `proxy`, created together with the first key. */
  readonly appKey: string | undefined;
  readonly gateway: {
    readonly config: {
      readonly data: string;
      readonly skills: readonly string[];
      readonly upstreams: readonly { readonly id: string; readonly models: readonly string[] }[];
    };
    readonly skills: { checkRuns(): Promise<readonly ServedSkill[]> };
  };
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

const PACKAGE = '@skillwright/gateway';

/**
 * The gateway installed beside this program, or in the project of the working directory. A cloned repository could
 * contain a package of that name, so the project's package is used only if the user trusts the directory.
 */
export async function importGateway(cwd: string, trust: TrustStore): Promise<GatewayModule> {
  const beside = besideProgram();
  const found = beside ?? inProject(cwd);
  if (found === undefined)
    throw new CliError('GatewayMissing', 'The gateway is a package of its own, and it is not installed.', {
      hints: [`npm install ${PACKAGE}`],
      data: { package: PACKAGE },
    });
  if (beside === undefined && !isTrusted(found, trust))
    throw new CliError('GatewayMissing', `The gateway in ${cwd} belongs to a project that is not trusted.`, {
      hints: [`If you trust the project: ${PROGRAM} trust ${joinWords([cwd])}`],
      data: { package: PACKAGE },
    });
  return (await import(found)) as GatewayModule;
}

function isTrusted(url: string, trust: TrustStore): boolean {
  return realPathOf(fileURLToPath(url)).some((path) => trust.levelOf(path) === 'trusted');
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
