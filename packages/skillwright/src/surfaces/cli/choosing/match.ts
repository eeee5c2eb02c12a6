import { assertNotAllBlocked } from '../../../catalog/lookup/skill-lookup.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { matchLines } from './match-lines.ts';
import { chosenRanker, createReadyRanker, readCount } from './skill-ranking.ts';
import { factsHere, matchTask } from './task-match.ts';
import { openSkills } from '../finding/locations.ts';
import { readInput } from '../running/host-process.ts';

const DEFAULT_LIMIT = 5;

export async function run(invocation: Invocation): Promise<number> {
  const { context, output, options, globals } = invocation;
  const limit = readCount(options, 'limit', DEFAULT_LIMIT);
  const kind = chosenRanker(options);
  const task = await readTask(invocation);
  const { snapshot } = openSkills(invocation);
  assertNotAllBlocked(snapshot);
  if (snapshot.skills.length === 0)
    throw new CliError('NoSkillFound', 'There is no skill to choose from.', {
      hints: [`${PROGRAM} list says where it looked, and how to begin.`],
    });
  const ranker = await createReadyRanker(snapshot, kind);
  const facts = factsHere(context, options.list('file'), globals.cwd);
  const { skills, leftOut } = matchTask({ task, limit, snapshot, ranker, facts });
  const isAll = options.flag('all');
  const chosen = skills.filter((skill) => skill.chosen);
  if (globals.json) {
    const nearest = chosen.length > 0 ? [] : skills.slice(0, limit);
    output.json({ ranker: kind, fits: chosen.length > 0, skills: isAll ? skills : chosen, nearest, leftOut });
  } else output.lines(matchLines(output, { skills, leftOut }, { limit, isAll, kind, all: snapshot.skills.length }));
  return 0;
}

async function readTask({ context, positionals }: Invocation): Promise<string> {
  const isPiped = positionals.length === 1 && positionals[0] === '-';
  const task = isPiped ? await readPiped(context) : positionals.join(' ');
  if (task.trim() !== '') return task;
  throw usageError(isPiped ? 'Standard input holds no task.' : 'The task is empty.', [
    `Say what somebody could ask for: ${PROGRAM} match "how many words are in this text"`,
  ]);
}

async function readPiped(context: Invocation['context']): Promise<string> {
  const bytes = await readInput(context);
  if (bytes === undefined) throw usageError('There is no standard input to read the task from.');
  return new TextDecoder().decode(bytes);
}
