import { PROGRAM, type SkillsHost } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';

/** Whether a name belongs to a blocked package and not to a usable one. */
export function isBlocked({ snapshot }: Pick<SkillsHost, 'snapshot'>, name: string): boolean {
  return snapshot.findBlocked(name) !== undefined && snapshot.find(name) === undefined;
}

/** The error does not reveal where the skill is stored. */
export function blockedSkill(name: string): GatewayError {
  const shown = name.slice(0, 100);
  const message = `Skill '${shown}' is blocked by the gateway's operator, so it is neither shown nor run. On the gateway's machine, '${PROGRAM} trust --list' shows blocked directories, and '${PROGRAM} trust --remove <path>' unblocks one.`;
  return new GatewayError('SkillBlocked', message, { data: { name: shown } });
}
