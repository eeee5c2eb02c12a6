// What skills add to a request of the gateway: `node bench/gateway/added-bytes.ts --help`.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSkillsHost, type ChosenSkills, type SkillsHost } from '../../packages/skillwright/src/host.ts';
import { createStandardSources } from '../../packages/skillwright/src/index.ts';
import { estimateTokens } from '../../packages/skillwright/src/select/listing/token-estimate.ts';
import { WIRE_FORMATS, type ToolDefinition, type WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';
import { formatTable } from '../table.ts';

/** The most bytes that one skill may add. */
const LIMIT = 2_500;
const SAMPLE_SKILLS = fileURLToPath(new URL('../../skills', import.meta.url));
const META_TOOLS: ReadonlySet<string> = new Set(['load_skill', 'use_skill', 'read_skill_file']);

const HELP = `Measures what skills add to a request of the gateway, in bytes of JSON, and estimates the tokens.

  node bench/gateway/added-bytes.ts [options]

  --skills DIR     the skills, one by one (the sample skills of this repository)
  --task TEXT      all skills that this task gets together, instead of one by one
  --format FORMAT  the format of the request: ${WIRE_FORMATS.join(', ')} (openai-chat)
  --help           this text

Exit code 1 if one skill adds more than ${LIMIT} bytes, 2 if the command line makes no sense.
`;

interface Added {
  readonly skills: string;
  readonly system: string;
  readonly meta: string;
  readonly own: string;
}

function measure(host: SkillsHost, chosen: ChosenSkills, formatName: WireFormatName): Added {
  const { systemPrompt, tools } = host.open(chosen, { id: 'measured', tenant: '' });
  const format = wireFormat(formatName);
  const bare = format.createRequest({ model: 'm', system: '', input: 'x', tools: [], stream: false });
  const withTools = (added: readonly ToolDefinition[]): string =>
    added.length === 0 ? '' : addedText(bare, format.addTools(bare, added));
  const meta = withTools(tools.filter(({ name }) => META_TOOLS.has(name)));
  return {
    skills: chosen.skills.map(({ name }) => name).join(', '),
    system: addedText(bare, format.addSystem(bare, systemPrompt)),
    meta,
    own: withTools(tools).slice(meta.length),
  };
}

/** A text as long as the difference between the two bodies: the end of the longer body. */
function addedText(before: unknown, after: unknown): string {
  const text = JSON.stringify(after);
  return text.slice(JSON.stringify(before).length);
}

function toRow({ skills, system, meta, own }: Added): string[] {
  const parts = [system, meta, own];
  const all = parts.join('');
  return [skills, ...parts.map(bytesOf), bytesOf(all), String(estimateTokens(all))];
}

function bytesOf(text: string): string {
  return String(Buffer.byteLength(text));
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      skills: { type: 'string', default: SAMPLE_SKILLS },
      task: { type: 'string' },
      format: { type: 'string', default: 'openai-chat' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const format = WIRE_FORMATS.find((name) => name === values.format);
  if (format === undefined) throw new TypeError(`--format takes ${WIRE_FORMATS.join(', ')}, not '${values.format}'`);
  const sources = createStandardSources(
    { projectSkillDir: null, additionalSearchPaths: [values.skills] },
    { trust: 'trusted' },
  );
  const host = await createSkillsHost({ sources });
  await host.runtime.ranking.ready(host.snapshot);
  const { task } = values;
  const choices =
    task === undefined
      ? host.snapshot.skills.map(({ name }) => host.choose({ task: name, only: [name] }))
      : [host.choose({ task })];
  const added = choices.map((chosen) => measure(host, chosen, format));
  await host.close();
  const headings = ['skill', 'system text', 'meta-tools', "skills' tools", 'bytes', 'tokens, about'];
  process.stdout.write(`${formatTable(headings, added.map(toRow))}\n`);
  const isOver = task === undefined && added.some((one) => Number(toRow(one)[4]) > LIMIT);
  if (isOver) process.exitCode = 1;
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
