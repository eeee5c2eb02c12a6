import { PROGRAM, VERSION } from '../../../spec/program.ts';
import type { Invocation } from '../command.ts';
import { doneLine } from '../output.ts';
import { isAt } from '../finding/locations.ts';
import { createShownPaths, type ShownPaths } from '../text/shown-path.ts';
import { toLine } from '../text/terminal-text.ts';
import type { ServedSkill, ServingGateway } from './gateway-module.ts';

/** Shows what was started and how to use it. */
export async function announce({ context, output, globals }: Invocation, serving: ServingGateway): Promise<void> {
  const { url, adminToken, appKey, configFile, warnings } = serving;
  const { data } = serving.gateway.config;
  if (globals.json) {
    output.json({
      url,
      adminToken: adminToken ?? null,
      appKey: appKey ?? null,
      configFile: configFile ?? null,
      data,
      warnings,
    });
    return;
  }
  // Checked before the first line is printed, so that startup log lines do not end up inside the banner.
  const skills = await serving.gateway.skills.checkRuns();
  const shown = createShownPaths(globals.cwd, context.home);
  const row = (name: string, text: string): void => output.line(`  ${name.padEnd(7)} ${text}`);
  output.line(doneLine(output, `Skillwright ${VERSION} listens on ${output.style('name', url)}`));
  output.line();
  const { skills: directories } = serving.gateway.config;
  directoryLines(directories, skills, shown).forEach((line, index) => row(index === 0 ? 'Skills' : '', line));
  row('Models', modelsLine(serving));
  row('Data', toLine(shown.path(data)));
  if (configFile !== undefined) row('Config', toLine(shown.path(configFile)));
  row('API', `${url}/docs`);
  for (const warning of warnings) output.line(`${output.style('warning', '!')} ${toLine(shown.text(warning))}`);
  output.line();
  if (adminToken !== undefined) {
    output.line('  Two keys were created. Save them now, because they are not shown again:');
    row('admin', `${output.style('heading', adminToken)}  may do everything`);
    if (appKey !== undefined) row('app', `${output.style('heading', appKey)}  may use models and skills`);
    output.line(`  For '${PROGRAM} skills', 'keys' and the documentation's examples:`);
    output.line(`  export SKILLWRIGHT_URL=${url} SKILLWRIGHT_TOKEN=${adminToken}`);
  } else {
    output.line('  To create a key for an app, with the admin key from the first start:');
    output.line(`  export SKILLWRIGHT_URL=${url} SKILLWRIGHT_TOKEN=<admin key>`);
    output.line(`  ${PROGRAM} keys create <name>`);
  }
  output.line();
  const question = questionFor(skills);
  if (question !== undefined) {
    output.line('  Try it with the demo model, which is rule-based and not a language model:');
    output.line(`  ${tryLine({ url, key: appKey ?? '<key>', question })}`);
    output.line();
  }
  output.line(output.style('dim', '  Ctrl-C ends it.'));
}

/**
 * One line for each directory: the number of skills by trust level, the tier they run in, and the skills that cannot
 * run.
 */
function directoryLines(directories: readonly string[], skills: readonly ServedSkill[], shown: ShownPaths): string[] {
  const lines = directories.flatMap((directory) => {
    const here = skills.filter(({ skill }) => isAt(skill.baseDir, directory));
    const place = toLine(shown.path(directory));
    if (here.length === 0) return [`none in ${place}`];
    return (['trusted', 'untrusted'] as const).flatMap((trust) => {
      const group = here.filter(({ skill }) => skill.trust === trust);
      return group.length === 0 ? [] : [groupLine(group, trust, place), ...problemLines(group)];
    });
  });
  return lines.length === 0 ? ['none'] : lines;
}

function groupLine(group: readonly ServedSkill[], trust: string, place: string): string {
  const tiers = [...new Set(group.flatMap(({ check }) => (check?.runs === true ? [check.tier] : [])))];
  const where = tiers.map((tier) => TIER_TEXTS[tier] ?? `in ${tier}`).join(' or ');
  const remedy = trust === 'untrusted' ? `. To trust them: ${PROGRAM} trust ${place}` : '';
  return `${group.length} in ${place}, ${trust}${where === '' ? '' : `: they run ${where}`}${remedy}`;
}

const TIER_TEXTS: Readonly<Record<string, string>> = { process: 'as you', bubblewrap: 'in the bubblewrap sandbox' };

/** The skills that cannot run here, by reason. */
function problemLines(group: readonly ServedSkill[]): string[] {
  const problems = new Map<string, string[]>();
  for (const { skill, check } of group) {
    if (check === undefined || check.runs) continue;
    const problem = `${check.reason}. ${check.remedy}`;
    problems.set(problem, [...(problems.get(problem) ?? []), skill.name]);
  }
  return [...problems].map(([problem, names]) => {
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
    return toLine(`! ${names.slice(0, MAX_NAMES).join(', ')}${more} cannot run here: ${problem}`);
  });
}

const MAX_NAMES = 3;

function modelsLine({ gateway }: ServingGateway): string {
  const upstreams = gateway.config.upstreams.map(({ id, models }) => `${id} (${models.join(', ')})`);
  if (upstreams.length > 0) return toLine(['demo', ...upstreams].join(', '));
  return 'demo. For others set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY.';
}

/** A question that makes the demo model use a skill. `undefined` if the model would be offered none. */
function questionFor(skills: readonly ServedSkill[]): string | undefined {
  const offered = skills.filter(({ skill }) => skill.mode !== 'off' && !skill.disableModelInvocation);
  if (offered.some(({ skill }) => skill.name === 'word-count')) return 'How many words are in "to be or not to be"?';
  const plain = offered.find(({ skill }) => /^[a-z0-9-]+$/.test(skill.name));
  return plain === undefined ? undefined : `Use the skill ${plain.skill.name}.`;
}

/** An example request for a shell. */
function tryLine({
  url,
  key,
  question,
}: {
  readonly url: string;
  readonly key: string;
  readonly question: string;
}): string {
  const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: question }] });
  return `curl -s ${url}/v1/chat/completions -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${body}'`;
}
