/** Number of runs per property: few by default, many in the long checks. */
export const FUZZ_RUNS: number = Number(process.env['SKILLWRIGHT_FUZZ_RUNS'] ?? 200);
