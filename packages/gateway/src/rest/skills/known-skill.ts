import { closestName } from 'skillwright/host';
import { BUILT_IN_ALIASES } from '../../builtins/builtin.ts';
import { blockedSkill, isBlocked } from '../../executions/blocked-skill.ts';
import type { RegisteredSkill, RegistryView } from '../../registry/registered-skill.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { RestRequest } from '../rest-route.ts';
import { seesSkill } from '../whose.ts';

/** The skill of the path, by its id or by another name of a built-in. What the caller may not see is not there. */
export async function skillOf({ params, caller, parts }: RestRequest<{ id: string }>): Promise<RegisteredSkill> {
  const { registry, skills } = parts;
  const builtIn = BUILT_IN_ALIASES.get(params.id);
  const byAlias =
    builtIn === undefined ? undefined : await registry.resolveVersion(builtIn, undefined, caller.apiKeyId);
  const skill = (await registry.get(params.id)) ?? byAlias;
  const isThere = skill !== undefined && seesSkill(caller, skill);
  const name = isThere ? skill.name : ((await registry.nameOf(params.id)) ?? params.id);
  if ((!isThere || skill.kind === 'package') && isBlocked(skills, name)) throw blockedSkill(name);
  if (isThere) return skill;
  throw unknownSkill(params.id, registry.current, (one) => seesSkill(caller, one));
}

/** Names the skill that the caller probably means: ids and names are easily confused. */
function unknownSkill(id: string, { all }: RegistryView, isSeen: (skill: RegisteredSkill) => boolean): GatewayError {
  const seen = all.filter(isSeen);
  const suggestion = closestName(
    id,
    seen.map(({ name }) => name),
  );
  const meant = seen.find(({ name }) => name === suggestion);
  const hint =
    meant === undefined
      ? 'GET /api/skills lists those that there are.'
      : meant.name === id
        ? `That is a name: the id of ${meant.name}@${meant.version} is ${meant.id}.`
        : `Did you mean ${meant.name}, whose id is ${meant.id}?`;
  return new GatewayError('UnknownSkill', `There is no skill with the id '${id}'. ${hint}`, {
    data: { id, ...(meant === undefined ? {} : { suggestion: { id: meant.id, name: meant.name } }) },
  });
}
