import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readText, repository } from './structure/source-files.ts';

const run = promisify(execFile);
const folder = join(repository, 'packages/skillwright');
const cache = join(repository, 'node_modules/.cache');

interface Manifest {
  readonly version: string;
  readonly bin: { readonly skillwright: string };
}

/** A package of its own beside the real one, so that tests never disturb a build that is in use. */
let built: string;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  built = mkdtempSync(join(cache, 'skillwright-'));
  for (const name of ['package.json', 'bin']) cpSync(join(folder, name), join(built, name), { recursive: true });
  const tsdown = join(repository, 'node_modules/tsdown/dist/run.mjs');
  await run(process.execPath, [tsdown, '--out-dir', join(built, 'dist'), '--logLevel', 'error'], { cwd: folder });
});

afterAll(() => rmSync(built, { recursive: true, force: true }));

const VALUES = `
  DEFAULT_LIMITS NetworkError SkillDiscoveryError SkillException SkillInvocationError SkillLoader SkillManager
  SkillParsingError SkillValidationError SkillwrightError ToolOrchestrator ToolRestrictionError VERSION chooseSkills
  createContainerSandbox createDemoModel createDirectorySource createHttpClient createJsonlRecorder createListing
  createListingSession createMemoryRecorder createMemorySource createModelClient createOpenTelemetryTraces
  createPluginSource createRanker createRuntime createSkillsProvider createStandardSources createTraceFile
  createTrustStore estimateTokens explainVisibility forgetResults formatToolMessage locationOf probeSandboxes
  readExecutions readTraces runAgent selectSkills snapshotDiff toSkillError
`;

const TYPES = `
  AgentEvent AgentEventListener AgentFailure AgentOptions AgentResult AgentSession AgentSkills AgentTool
  AgentToolContext AnthropicTool ApprovalAnswer ApprovalRequest Approve ApproveSimply AsyncRankOptions BlockedSkill
  CallOptions Caller Catalog CatalogChange CatalogTool CatalogWatch ChangeListener ChangedSkill Compact
  ContainerEngineName ContainerOptions ContainerSandbox CountTokens DecideTrust DemoModelOptions Diagnostic
  DiagnosticCategory DiagnosticCode DirectorySourceOptions EgressOptions Embed ErrorCode EventListener ExecuteOptions
  ExecutionBeginning ExecutionCode ExecutionEndReason ExecutionEnding ExecutionPolicies ExecutionPolicy
  ExecutionReading FileStamp FindSkillsOptions FiredContext GeminiTool HandlerWorkerLaunch HostFacts HttpClient
  HttpClientOptions HttpRequestOptions HttpResponse IndexCacheOption InjectedSkill InjectedSkills JsonObjectSchema
  JsonlRecorder JsonlRecorderOptions KnownFile LineRange ListedSkill Listing ListingCut ListingLevel ListingOptions
  ListingPreference ListingSession LoadSkillOptions LoadedScript LoadedSkill Logger ManifestAuthor MarketplaceEntry
  MarketplaceManifest MemoryRecorder MemoryRecorderOptions MemorySkill ModelClient ModelClientOptions ModelFailure
  ModelReply ModelRequest OfferedTools OnOutput OpenAiChatTool OpenAiResponsesTool OpenTelemetryApi OpenTelemetrySpan
  OpenTelemetryTracer OpenTelemetryTraces OpenTelemetryTracesOptions OrchestratedStep PluginManifest PluginOrigin
  PluginSourceOptions PolicyOptions ProbeOptions ProgramInput ProgramOutput ProgramStdin ProtectOptions RankField
  RankOptions RankReason RankRule RankableSkill RankedSkill Ranker RankerKind RankerOptions ReadExecutionsOptions
  ReadTracesOptions ReadingLimits RecordDamage RecordedExecution Recorder RefusedSkill ResolveHost RestrictingSkill
  Restrictions RunAgentOptions RunCheck RunChecks RunOptions Runner RunningOptions Runtime RuntimeOptions Sandbox SandboxBound SandboxCapabilities
  SandboxExit SandboxLaunch SandboxLimits SandboxOptions SandboxProbe SandboxProcess SandboxReport SandboxTier ScanContext
  ScanStep ScriptOptions SdkTool SearchOptions Selection SelectionInput SelectionReason SessionOptions Severity
  ShadowedSkill SkillBody SkillCandidate SkillChoice SkillChoiceOptions SkillContent SkillDiscoveryResult SkillError
  SkillExecutionResult SkillFields SkillFile SkillFiles SkillFilter SkillLoaderOptions SkillLocations
  SkillManagerOptions SkillMatch SkillMetadata SkillMode SkillRecord SkillRequirements SkillScope SkillSecrets
  SkillSource SkillSourceKind SkillTool SkillsDirectory SkillsProvider SkillsProviderOptions SkillsSession SkillsTools
  SkillwrightEvent Snapshot SnapshotDiff SpanAttributes ToolCallResult ToolContent ToolInput ToolInputSchema
  ToolMessage ToolMessageCall ToolMessageResult ToolOrchestratorOptions ToolOutcome ToolRestrictionMode TraceDamage
  TraceEvent TraceFile TraceFileOptions TraceListener TraceReading TraceType TriggerContext TrustEntry TrustLevel
  TrustStore TrustStoreOptions TrustSubject TurnEndReason UnknownChoice Visibility VisibilityFacts VisibilityReason
  VisibilityRule WatchList WatchOptions WireFormatName WorkerOptions WorkspaceAccess
`;

/** Adding a name here is a decision: it is then part of the contract. */
function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

describe('the built library', () => {
  it('exports these values and no others, and nothing else happens on import', async () => {
    const program = `
      const before = process.eventNames().length;
      const library = await import(${JSON.stringify(pathToFileURL(join(built, 'dist/index.mjs')).href)});
      const left = process.getActiveResourcesInfo().filter((name) => !['PipeWrap', 'TTYWrap'].includes(name));
      console.log(JSON.stringify({ names: Object.keys(library), listeners: process.eventNames().length - before, left }));
    `;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ names: words(VALUES), listeners: 0, left: [] });
  });

  it('declares these types besides, and no others', () => {
    const declarations = readFileSync(join(built, 'dist/index.d.mts'), 'utf8');
    const [, list = ''] = /^export \{([^}]*)\};\s*$/m.exec(declarations) ?? [];
    const names = list.split(',').map((item) =>
      item
        .trim()
        .replace(/^.* as /, '')
        .replace(/^type /, ''),
    );
    expect(names.sort()).toEqual([...words(VALUES), ...words(TYPES)].sort());
  });

  it('exports what programs are tested with apart, and nothing happens on import', async () => {
    const program = `
      const testing = await import(${JSON.stringify(pathToFileURL(join(built, 'dist/testing.mjs')).href)});
      const left = process.getActiveResourcesInfo().filter((name) => !['PipeWrap', 'TTYWrap'].includes(name));
      console.log(JSON.stringify({ names: Object.keys(testing), left }));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(JSON.parse(stdout)).toEqual({ names: ['createScriptedModel'], left: [] });
  });

  it('exports the command line as data apart, without loading a command', async () => {
    const program = `
      const commands = await import(${JSON.stringify(pathToFileURL(join(built, 'dist/commands.mjs')).href)});
      const left = process.getActiveResourcesInfo().filter((name) => !['PipeWrap', 'TTYWrap'].includes(name));
      const line = commands.describeCommandLine();
      const functions = [];
      JSON.stringify(line, (key, value) => (typeof value === 'function' ? functions.push(key) : value));
      console.log(JSON.stringify({ names: Object.keys(commands), program: line.program, functions, left }));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    const names = ['describeCommandLine'];
    expect(JSON.parse(stdout)).toEqual({ names, program: 'npx skillwright', functions: [], left: [] });
  });

  it('exports no default', () => {
    expect(readFileSync(join(built, 'dist/index.mjs'), 'utf8')).not.toMatch(/^export default|\bas default\b/m);
  });

  it('imports its dependencies instead of carrying them', () => {
    const code = globSync('dist/*.mjs', { cwd: built }).map((file) => readFileSync(join(built, file), 'utf8'));
    expect(code.join('\n')).toMatch(/^import .* from "js-yaml";$/m);
  });
});

describe('the built command', () => {
  const { version, bin } = JSON.parse(readText('packages/skillwright/package.json')) as Manifest;
  const command = (): string => join(built, bin.skillwright);

  it('says its version', async () => {
    const { stdout, stderr } = await run(process.execPath, [command(), '--version']);
    expect({ stdout: stdout.trim(), stderr }).toEqual({
      stdout: expect.stringContaining(version) as string,
      stderr: '',
    });
  });

  it('lists the skills of a directory', async () => {
    const { stdout } = await run(process.execPath, [command(), 'list', '--json'], { cwd: repository });
    expect(stdout).toContain('"word-count"');
  });

  it.skipIf(process.platform === 'win32')('can be started as a program', () => {
    expect(readFileSync(command(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(command()).mode & 0o111).not.toBe(0);
  });
});
