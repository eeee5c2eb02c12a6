import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPeers, arePeersInstalled } from './peer-install.ts';
import { isMissed, type Target } from './target.ts';

/** A benchmark as its command line describes it. */
interface Benchmark<Options> {
  /** Throws on invalid arguments. */
  readonly parseOptions: (args: string[]) => Options;
  readonly help: string;
  /** The folder whose `package.json` names the peers. */
  readonly peersFolder: URL;
}

/**
 * Reads the command line, and installs peers if the options ask for that. Returns undefined after printing the help, or
 * after reporting an invalid argument on stderr and setting exit code 2.
 */
export function readCommandLine<Options extends { readonly help: boolean; readonly peers: boolean | undefined }>({
  parseOptions,
  help,
  peersFolder,
}: Benchmark<Options>): Options | undefined {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return undefined;
  }
  if (options.help) {
    process.stdout.write(help);
    return undefined;
  }
  if (options.peers === true && !arePeersInstalled(peersFolder)) installPeers(peersFolder);
  return options;
}

/** The machine that the measurement runs on. */
export function describeMachine(): { readonly node: string; readonly machine: string } {
  return {
    node: `Node ${process.versions.node}`,
    machine: `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}`,
  };
}

/** The file for the results unless the command line names another. */
export function resultsFile(name: string): string {
  return fileURLToPath(new URL(`results/${name}.json`, import.meta.url));
}

/** Writes results to a file and `report` to stdout. The exit code is 1 if a target is missed. */
export function finishRun(results: { readonly targets: readonly Target[] }, file: string, report: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, toJson(results));
  process.stdout.write(report);
  if (isMissed(results.targets)) process.exitCode = 1;
}

export function toJson(results: object): string {
  return `${JSON.stringify(results, null, 2)}\n`;
}
