import { PROGRAM, type SkillsHost } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';

/** Whether a name belongs to a blocked package and not to a usable one. */
export function isBlocked({ snapshot }: Pick<SkillsHost, 'snapshot'>, name: string): boolean {
  return snapshot.findBlocked(name) !== undefined && snapshot.find(name) === undefined;
}

/** The error does not reveal where the skill is stored. */
export function blockedSkill(name: string): GatewayError {
  const shown = name.slice(0, 100);
  const message = `Skill '${shown}' is blocked by the operator of the gateway, so it is neither shown nor run. '${PROGRAM} trust --list' on its machine shows what is blocked, and '${PROGRAM} trust --remove <path>' takes it back.`;
  return new GatewayError('SkillBlocked', message, { data: { name: shown } });
}
