// Shows that guidance from a skill lets a model correct a failing call in the same turn, and that the model fails without it.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SkillLoader, ToolOrchestrator, type AgentResult, type AgentTool, type TraceEvent } from 'skillwright';
import { createCarelessModel, TOOL } from './careless-model.ts';
import { sideBySide, traceLines } from './side-by-side.ts';

const SKILL = 'tool-call-error-recovery';
const skills = process.argv[2] ?? fileURLToPath(new URL('../../skills', import.meta.url));
const project = fileURLToPath(new URL('.', import.meta.url));

const listFiles: AgentTool = {
  name: TOOL,
  description: 'Lists the files of a directory.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'the directory path to list, relative to project root.' } },
    required: ['path'],
  },
  isIdempotent: true,
  execute: async ({ path }) => ({ files: (await readdir(join(project, String(path)))).toSorted() }),
};

interface Probed {
  readonly result: AgentResult;
  readonly events: readonly TraceEvent[];
}

async function probe(loader: SkillLoader): Promise<Probed> {
  const events: TraceEvent[] = [];
  const model = await createCarelessModel();
  const orchestrator = new ToolOrchestrator({
    model: { format: 'openai-chat', baseUrl: model.baseUrl('openai-chat'), apiKey: 'any', model: 'careless' },
    tools: [listFiles],
    loader,
    // Only the guidance after a failed call matters here.
    taskMatch: false,
    onTrace: (event) => events.push(event),
  });
  try {
    return { result: await orchestrator.run('List the files in the current directory.'), events };
  } finally {
    await orchestrator.close();
    await model.close();
  }
}

const withSkill = await probe(new SkillLoader(skills));
const withoutSkill = await probe(new SkillLoader({ skillsDir: skills, exclude: [SKILL] }));

const column = (title: string, { events }: Probed): string[] => [title, '', ...traceLines(events)];
console.log(sideBySide(column(`With ${SKILL}`, withSkill), column('Without it', withoutSkill)));

const isCorrected = withSkill.result.reason === 'end' && withSkill.result.text.includes('probe.ts');
const isStuck = withoutSkill.result.reason !== 'end' && !withoutSkill.result.text.includes('probe.ts');
console.log(
  isCorrected && isStuck
    ? '\nAs it should be: the call was corrected in the same turn, and only because of the skill.'
    : '\nNot as it should be: see the traces above.',
);
process.exitCode = isCorrected && isStuck ? 0 : 1;
