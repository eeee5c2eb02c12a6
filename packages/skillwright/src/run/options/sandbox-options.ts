import { invalidOption } from '../../spec/errors/error.ts';
import { createAllowList } from '../../net/egress/allow-list.ts';
import { parseEgressRules } from '../../net/egress/egress-rules.ts';
import { CONTAINER_ENGINES, type ContainerOptions } from '../../process/container/options.ts';
import {
  DEFAULT_SANDBOX_LIMITS,
  SANDBOX_TIERS,
  type SandboxLimits,
  type SandboxTier,
  type WorkspaceAccess,
} from '../../spec/sandbox.ts';
import type { EgressOptions } from '../egress-sandbox.ts';
import { assertKeys, assertOneOf } from './option-checks.ts';

/** How skills are isolated from the rest of the machine. */
export interface SandboxOptions {
  /**
   * The tier for trusted skills. Default `process`; `inprocess` applies to JavaScript handlers, and other programs run
   * in `process`.
   */
  readonly tier?: SandboxTier | undefined;
  /** The same as `policy.minIsolation`; if both are set, the stronger one counts. */
  readonly min?: SandboxTier | undefined;
  /** Whether programs may use the network, in tiers that can prevent it. Default false. */
  readonly network?: boolean | undefined;
  /** Which hosts programs may reach if they may use the network. Default: all. */
  readonly egress?: EgressOptions | undefined;
  /** What programs can see of their working directory, in tiers that hide files. Default `none`: an empty directory. */
  readonly workspace?: WorkspaceAccess | undefined;
  /** Resource limits of a run, in tiers that enforce them. */
  readonly limits?: Partial<SandboxLimits> | undefined;
  /** How the container tier starts containers. */
  readonly container?: ContainerOptions | undefined;
}

const WORKSPACES: readonly unknown[] = ['none', 'read', 'write'];
/** Docker's minimum for a container. */
const LEAST_MEMORY_BYTES = 6_291_456;
/** A name of an image; engines would read a name that begins with a dash as an option. */
const IMAGE = /^[a-z0-9][\w./:@-]{0,254}$/i;

/** Rejects misuse at once, with the option's name: a typo must not weaken a setting. */
export function assertSandboxOptions(sandbox: unknown): void {
  if (typeof sandbox === 'string' || sandbox === undefined) return assertOneOf(sandbox, 'sandbox', SANDBOX_TIERS);
  assertKeys(sandbox, 'sandbox', ['tier', 'min', 'network', 'egress', 'workspace', 'limits', 'container']);
  const { tier, min, network, egress, workspace, limits, container } = sandbox as Record<string, unknown>;
  assertOneOf(tier, 'sandbox.tier', SANDBOX_TIERS);
  assertOneOf(min, 'sandbox.min', SANDBOX_TIERS);
  assertOneOf(network, 'sandbox.network', [true, false]);
  assertOneOf(workspace, 'sandbox.workspace', WORKSPACES);
  assertLimits(limits);
  assertEgress(egress);
  assertContainer(container);
}

function assertLimits(limits: unknown): void {
  assertKeys(limits, 'sandbox.limits', [...Object.keys(DEFAULT_SANDBOX_LIMITS), 'fileBytes', 'openFiles']);
  for (const [name, value] of Object.entries(limits ?? {}))
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) > 0))
      throw invalidOption(`sandbox.limits.${name}`, `must be a whole number above 0, not ${String(value)}`);
}

function assertEgress(egress: unknown): void {
  if (egress === undefined) return;
  assertKeys(egress, 'sandbox.egress', ['allow', 'private']);
  const { allow, private: open } = egress as Record<string, unknown>;
  parseEgressRules(allow);
  if (open === undefined) return;
  if (!Array.isArray(open)) throw invalidOption('sandbox.egress.private', 'must be a list of hosts and addresses');
  createAllowList(open);
}

function assertContainer(container: unknown): void {
  if (container === undefined) return;
  const known = ['engine', 'images', 'image', 'memory', 'cpus', 'network', 'pull'];
  assertKeys(container, 'sandbox.container', known);
  const { engine, images = [], image, memory, cpus, network, pull } = container as Record<string, unknown>;
  assertOneOf(engine, 'sandbox.container.engine', CONTAINER_ENGINES);
  assertOneOf(pull, 'sandbox.container.pull', ['never', 'missing']);
  if (!Array.isArray(images)) throw invalidOption('sandbox.container.images', 'must be a list of images');
  for (const name of [...(images as unknown[]), ...(image === undefined ? [] : [image])])
    if (typeof name !== 'string' || !IMAGE.test(name))
      throw invalidOption('sandbox.container.images', `has ${JSON.stringify(name)}, which is not the name of an image`);
  if (network !== undefined && (typeof network !== 'string' || !/^[a-z0-9][\w.:-]*$/i.test(network)))
    throw invalidOption('sandbox.container.network', 'must be the name of a network of the engine');
  if (memory !== undefined && !(Number.isSafeInteger(memory) && Number(memory) >= LEAST_MEMORY_BYTES))
    throw invalidOption('sandbox.container.memory', `must be a whole number of bytes, ${LEAST_MEMORY_BYTES} or more`);
  if (cpus !== undefined && !(typeof cpus === 'number' && cpus >= 0.01 && cpus <= 1_024))
    throw invalidOption('sandbox.container.cpus', 'must be a number from 0.01 to 1024');
}
