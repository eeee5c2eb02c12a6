import { describe, expect, it } from 'vitest';
import * as library from '../../../packages/skillwright/src/index.ts';
import { pageOf } from '../../../scripts/exports-page.ts';
import { readPublicNames } from '../../../scripts/public-names.ts';
import { ERROR_DATA } from '../../../packages/skillwright/src/spec/errors/error-data.ts';
import { readText } from '../structure/source-files.ts';

/** Which page must name every member of which interface. */
const PAGES: readonly (readonly [page: string, file: string, interfaces: readonly string[]])[] = [
  ['library', 'faces/manager/skill-manager.ts', ['SkillManagerOptions']],
  ['library', 'sources/standard-sources.ts', ['SkillLocations']],
  ['library', 'run/options/running-options.ts', ['RunningOptions', 'PolicyOptions', 'WorkerOptions']],
  ['library', 'run/options/sandbox-options.ts', ['SandboxOptions']],
  ['library', 'spec/limits.ts', ['ReadingLimits']],
  ['running', 'run/options/running-options.ts', ['PolicyOptions', 'WorkerOptions']],
  ['running', 'run/options/sandbox-options.ts', ['SandboxOptions']],
  ['containers', 'process/container/options.ts', ['ContainerOptions']],
  ['egress', 'run/egress-sandbox.ts', ['EgressOptions']],
  ['running', 'run/runner.ts', ['RunOptions', 'ScriptOptions']],
  ['running', 'spec/approval.ts', ['ApprovalRequest']],
  ['running', 'spec/execution.ts', ['SkillExecutionResult']],
  ['running', 'spec/sandbox.ts', ['SandboxLimits']],
  [
    'custom-sandbox',
    'spec/sandbox.ts',
    ['Sandbox', 'SandboxCapabilities', 'SandboxLaunch', 'SandboxLimits', 'SandboxProcess', 'HandlerWorkerLaunch'],
  ],
  ['sandboxes', 'process/standard-sandboxes.ts', ['ProbeOptions']],
  ['network', 'net/http/http-client.ts', ['HttpClientOptions', 'HttpClient']],
  ['network', 'net/http/request-settings.ts', ['HttpRequestOptions']],
  ['network', 'net/http/http-response.ts', ['HttpResponse']],
  ['agent', 'faces/agent/agent-options.ts', ['AgentOptions', 'RunAgentOptions']],
  ['agent', 'agent/turn/agent-turn.ts', ['AgentResult']],
  ['agent', 'spec/agent-tool.ts', ['AgentTool']],
  ['tracing', 'record/files/trace-file.ts', ['TraceFileOptions', 'TraceFile']],
  ['tracing', 'record/files/trace-file.ts', ['ReadTracesOptions', 'TraceDamage', 'TraceReading']],
  ['tracing', 'record/opentelemetry/opentelemetry-traces.ts', ['OpenTelemetryTracesOptions', 'OpenTelemetryTraces']],
  ['models', 'models/model-options.ts', ['ModelClientOptions']],
  ['models', 'spec/model.ts', ['ModelFailure']],
  ['recording', 'spec/recorder.ts', ['ExecutionBeginning', 'ExecutionEnding', 'Recorder']],
  ['recording', 'record/files/jsonl-recorder.ts', ['JsonlRecorderOptions', 'JsonlRecorder']],
  ['recording', 'record/files/read-executions.ts', ['ReadExecutionsOptions', 'RecordDamage', 'ExecutionReading']],
  ['recording', 'record/memory-recorder.ts', ['MemoryRecorderOptions', 'MemoryRecorder']],
];

/** The same for the gateway. */
const GATEWAY_PAGES: typeof PAGES = [
  ['gateway/configuration', 'config/config.ts', ['GatewayConfig', 'GatewayLimits', 'UpstreamConfig']],
  ['gateway/keys', 'auth/key-ring.ts', ['KeyRequest']],
];

const rowsOf = (pages: typeof PAGES, folder: string): (readonly [page: string, name: string, path: string])[] =>
  pages.flatMap(([page, file, interfaces]) => interfaces.map((name) => [page, name, `${folder}/${file}`] as const));
const rows = [...rowsOf(PAGES, 'packages/skillwright/src'), ...rowsOf(GATEWAY_PAGES, 'packages/gateway/src')];

describe('every page names', () => {
  it.each(rows)('on %s.md every member of %s', (page, name, path) => {
    const members = membersOf(readText(path), name);
    expect(members.length).toBeGreaterThan(0);
    expect(members.filter((member) => !isNamed(page, member))).toEqual([]);
  });

  it.each(
    readPublicNames()
      .filter(({ kind }) => kind !== 'type')
      .map((value) => [pageOf(value), value.name] as const),
  )('on %s.md the exported %s', (page, name) => {
    expect(isNamed(page, name) || isImported(page, name)).toBe(true);
  });

  it('on library.md every event', () => {
    const types = [...source('spec/events/events.ts').matchAll(/readonly type: '([\w-]+)'/g)].map(
      ([, type = '']) => type,
    );
    expect(types.length).toBeGreaterThan(5);
    expect(types.filter((type) => !isNamed('library', type))).toEqual([]);
  });

  it('on library.md every class of errors', () => {
    const thrown = new Set(Object.values(ERROR_DATA).map(({ thrownAs }) => thrownAs));
    expect([...thrown].filter((name) => !(name in library) || !isNamed('library', name))).toEqual([]);
  });

  it('on running.md every code of a run', () => {
    const [, union = ''] = /export type ExecutionCode =([^;]+);/.exec(source('spec/execution.ts')) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !isNamed('running', code))).toEqual([]);
  });
});

function source(file: string): string {
  return readText(`packages/skillwright/src/${file}`);
}

/** The members that an interface declares itself, in the formatter's layout. */
function membersOf(text: string, name: string): string[] {
  const [, body = ''] = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(text) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member);
}

/** Whether the page has the name as code: alone, beside a dot (`sandbox.tier`), or with arguments (`close()`). */
function isNamed(page: string, name: string): boolean {
  return new RegExp(`\`(?:\\w+\\.)?${name}(?:\\.\\w+|\\([^\`]*\\))?\``).test(readText(`docs/${page}.md`));
}

/** Whether an example on the page imports the name. */
function isImported(page: string, name: string): boolean {
  return new RegExp(`^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '`, 'm').test(readText(`docs/${page}.md`));
}
