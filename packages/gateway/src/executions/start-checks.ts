import { PROGRAM } from 'skillwright/host';
import type { Approvals } from '../approvals/approvals.ts';
import {
  type RegisteredKind,
  type RegisteredSkill,
  type Registry,
  type RegistryView,
  turnOnRequest,
} from '../registry/registered-skill.ts';
import { parseReference } from '../registry/version-range.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { Settings } from '../store/settings.ts';
import { blockedSkill } from './blocked-skill.ts';
import type { ExecutionRequest } from './executor.ts';
import type { HandlerDirectory } from './handlers/handler-directory.ts';

export interface StartChecksParts {
  readonly registry: Registry;
  readonly settings: Settings;
  readonly approvals: Approvals;
  readonly handlers: Pick<HandlerDirectory, 'find'>;
  /** Whether a name belongs only to blocked packages. */
  readonly isBlocked: (name: string) => boolean;
  /** Aliases of skills. */
  readonly aliases: ReadonlyMap<string, string>;
  /** How long a model's call waits for approval. */
  readonly approvalWaitMs: number;
}

/** A request to run a skill, and its caller. */
export interface SkillRunRequest {
  readonly skillName: string;
  readonly version: string | undefined;
  readonly apiKeyId: string | null;
  /** The kind of skill. Default: any. */
  readonly kind?: RegisteredKind | undefined;
}

/** A model's request to run part of a skill. */
export interface ModelRunRequest {
  readonly target: string;
  readonly input: unknown;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  readonly signal: AbortSignal | undefined;
  /** The digest of the content that would run now. Default: the digest in the registry. */
  readonly digestOf?: (() => Promise<string>) | undefined;
}

/** Decides what may run. A refusal is a coded error. */
export interface StartChecks {
  /** Finds the requested skill, or throws if nobody may run it now. */
  find(request: SkillRunRequest): Promise<RegisteredSkill>;
  /** Throws unless a model may run this part of the skill now. Asks a person if the policy requires it. */
  judge(skill: RegisteredSkill, request: ModelRunRequest): Promise<void>;
  /**
   * Throws if an allowed run is no longer allowed, because the skill was turned off, replaced or restricted meanwhile.
   */
  confirm(skill: RegisteredSkill, request: Pick<ExecutionRequest, 'apiKeyId' | 'caller'>): Promise<void>;
}

export function createStartChecks(parts: StartChecksParts): StartChecks {
  const { registry, settings, handlers, isBlocked, aliases } = parts;
  const checks: StartChecks = {
    async find({ skillName, version, apiKeyId, kind }) {
      if (!settings.current.skillsEnabled)
        throw new GatewayError(
          'SkillsDisabled',
          'Skills execution is disabled: an operator turned the setting skillsEnabled off.',
        );
      const view = await registry.fresh();
      const name = aliases.get(skillName) ?? skillName;
      const isWhole = version !== undefined || view.versions(name, apiKeyId).length > 0;
      const written = isWhole ? { name, range: version } : parseReference(name);
      const meant = { ...written, name: aliases.get(written.name) ?? written.name };
      const matching = view.matching(meant.name, meant.range, apiKeyId);
      const found = kind === undefined ? matching : matching.filter((skill) => skill.kind === kind);
      const [highest] = found;
      // Check the block here, because a blocked skill may stay in the registry for a moment.
      const isPackage = highest === undefined || highest.kind === 'package';
      if (isPackage && isBlocked(meant.name)) throw blockedSkill(meant.name);
      if (highest === undefined) throw unknown(meant, apiKeyId, view);
      const skill = found.find(({ enabled }) => enabled);
      if (skill === undefined) throw turnedOff(highest);
      assertForAnybody(skill, apiKeyId, handlers);
      return skill;
    },
    async judge(skill, request) {
      const what = `'${request.target}' of skill '${skill.name}'`;
      if (skill.policy === 'auto') return;
      if (skill.policy === 'manual')
        throw notAllowed(skill, `${what} may only be run by a person (its policy is manual).`);
      await askPerson(skill, request, parts);
      // Check again, because the wait for a person may have been long.
      await checks.confirm(skill, { apiKeyId: request.apiKeyId, caller: 'model' });
    },
    async confirm(skill, { apiKeyId, caller }) {
      const { name, version, kind } = skill;
      const now = await checks.find({ skillName: name, version, apiKeyId, kind });
      if (now.id !== skill.id || now.digest !== skill.digest || now.handler !== skill.handler)
        throw notAllowed(now, `Skill ${nameOf(now)} was replaced before this call could run. Call it again.`);
      if (caller === 'model' && now.policy !== skill.policy && now.policy !== 'auto')
        throw notAllowed(
          now,
          `The policy of skill ${nameOf(now)} changed to ${now.policy} before this call could run.`,
        );
    },
  };
  return checks;
}

function assertForAnybody(
  skill: RegisteredSkill,
  apiKeyId: string | null,
  handlers: StartChecksParts['handlers'],
): void {
  if (skill.kind === 'package') return;
  const handler = handlers.find(skill.kind, skill.handler ?? '');
  if (handler === undefined)
    throw notAllowed(
      skill,
      `Skill '${skill.name}' cannot run, because its handler '${(skill.handler ?? '').slice(0, 100)}' is not registered in this gateway.`,
    );
  if (apiKeyId === null && !handler.anonymous) throw notAllowed(skill, `Skill '${skill.name}' requires a key.`);
}

async function askPerson(skill: RegisteredSkill, request: ModelRunRequest, parts: StartChecksParts): Promise<void> {
  const { approvals, approvalWaitMs } = parts;
  const { target, input, apiKeyId, sessionId, signal, digestOf } = request;
  const { name: skillName, version } = skill;
  const digest = digestOf === undefined ? skill.digest : await digestOf();
  const subject = { skillName, version, digest, target, apiKeyId, sessionId, input };
  const asked = await approvals.ask(subject);
  if (asked.allowed) return;
  const what = `'${target}' of skill '${skillName}'`;
  const { id, status } = asked.approval;
  if (status === 'denied') throw denied(id, what);
  const waiting = signal ?? new AbortController().signal;
  const answer = approvalWaitMs > 0 ? await approvals.wait(id, approvalWaitMs, waiting) : undefined;
  if (answer?.status === 'denied') throw denied(id, what);
  const isSame = digestOf === undefined || (await digestOf()) === digest;
  // Ask again, because `ask` uses up an answer that covers only one call.
  if (answer?.status === 'allowed' && isSame && (await approvals.ask(subject)).allowed) return;
  throw refused(
    id,
    `${what} needs a person's approval first. Nothing ran. Tell the user that approval ${id} is pending, and call again after it is approved.`,
  );
}

function nameOf({ name, version }: RegisteredSkill): string {
  return `${name}@${version}`;
}

function refused(approvalId: string, message: string): GatewayError {
  return new GatewayError('ApprovalRequired', message, { data: { approvalId } });
}

function denied(approvalId: string, what: string): GatewayError {
  return new GatewayError('ApprovalDenied', `A person denied ${what}. Do not call it again.`, {
    data: { approvalId },
  });
}

function notAllowed({ id, name, version }: RegisteredSkill, message: string): GatewayError {
  return new GatewayError('SkillNotAllowed', message, { data: { skillId: id, name, version } });
}

function turnedOff(skill: RegisteredSkill): GatewayError {
  const { method, path, body } = turnOnRequest(skill.id);
  const how = `${method} ${path} with ${JSON.stringify(body)}, or ${PROGRAM} skills set ${skill.name} mode=${body.mode}`;
  const message = `Skill ${nameOf(skill)} is turned off (mode: off), so it does not run. An operator can turn it on: ${how}.`;
  return notAllowed(skill, message);
}

function unknown(
  { name, range }: { readonly name: string; readonly range: string | undefined },
  apiKeyId: string | null,
  view: RegistryView,
): GatewayError {
  const shown = name.slice(0, 100);
  const versions = view.versions(name, apiKeyId);
  const suggestion = versions.length === 0 ? view.closest(name, apiKeyId) : undefined;
  const hint = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  const message =
    versions.length === 0
      ? `There is no skill '${shown}'${apiKeyId === null ? ' that is shared' : ' that this key can see'}.${hint}`
      : `Skill '${shown}' has no version in ${range?.slice(0, 100) ?? 'any range'}. Available versions: ${versions.map(({ version }) => version).join(', ')}.`;
  return new GatewayError('UnknownSkill', message, {
    data: { name: shown, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}
