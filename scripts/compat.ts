import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkDirectory, type CompatReport } from '../test/compat/check-directory.ts';

const USAGE = 'Usage: npm run test:compat -- [--json] [--help] <directory>…';

const HELP = `${USAGE}

Reads directories of skills, plugins or marketplaces as they are, and once more with a plain walk and a full YAML
parser. Fails on every skill that the library refuses although it has a description or a body, drops without a word,
or reads differently from the full parser.

  --json  print one JSON object with a report for each directory
  --help  print this

Exit code: 0 nothing to complain about, 1 failures (each is listed), 2 wrong usage.

Example:
  npm run test:compat -- skills test/fixtures/seed-002
`;

function readArguments(): { directories: string[]; json: boolean; help: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    const missing = positionals.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true);
    if (missing !== undefined) console.error(`There is no directory '${missing}'.`);
    else if (positionals.length > 0 || values.help) return { directories: positionals, ...values };
    else console.error('Name at least one directory.');
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
  }
  console.error(USAGE);
  return undefined;
}

/** A progress line that overwrites itself; printed only to a terminal. */
function createProgress(directory: string): { show(done: number, total: number): void; end(): void } {
  const { stderr } = process;
  let last = 0;
  return {
    show(done, total) {
      if (!stderr.isTTY || (performance.now() - last < 100 && done < total)) return;
      last = performance.now();
      stderr.write(`\r\u001B[K${directory}  ${done} of ${total} (${Math.round((100 * done) / total)} %)`);
    },
    end() {
      if (stderr.isTTY) stderr.write('\r\u001B[K');
    },
  };
}

function renderReport(report: CompatReport): string[] {
  const reasons = Object.entries(report.refused).map(([code, count]) => `${count} ${code}`);
  const lines = [
    report.directory,
    `  ${report.read} of ${report.files} read (${report.repaired} repaired, ${report.shadowed} shadowed), ${report.compared} compared with the full parser`,
    `  ${reasons.length === 0 ? 'none' : reasons.join(', ')} refused; ${report.reported} reported; ${report.nested} inside other skills`,
    ...Object.entries(report.diagnostics).map(([code, count]) => `  ${String(count).padStart(6)} ${code}`),
    ...report.failures.map(({ kind, path, detail }) => `  FAILED ${kind}: ${path}\n         ${detail}`),
  ];
  return lines;
}

async function main(): Promise<number> {
  const options = readArguments();
  if (options === undefined) return 2;
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const reports: CompatReport[] = [];
  for (const directory of options.directories) {
    const progress = createProgress(directory);
    const report = await checkDirectory(directory, { onProgress: (done, total) => progress.show(done, total) });
    progress.end();
    reports.push(report);
    if (!options.json) process.stdout.write(`${renderReport(report).join('\n')}\n`);
  }
  const failures = reports.reduce((sum, report) => sum + report.failures.length, 0);
  const files = reports.reduce((sum, report) => sum + report.files, 0);
  if (options.json) process.stdout.write(`${JSON.stringify({ directories: reports, files, failures }, null, 2)}\n`);
  else process.stdout.write(failures === 0 ? `All ${files} fine.\n` : `${failures} failures in ${files} files.\n`);
  return failures === 0 ? 0 : 1;
}

// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await main();
