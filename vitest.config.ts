import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { ENTRY_ALIASES } from './scripts/public-entries.ts';

const long = ['**/*.long.test.ts'];
const skipped = ['**/node_modules/**', '**/dist/**'];
const layer = (name: string): string => `packages/skillwright/src/${name}/**`;

// What is polled for may come late on a busy machine: the default of a second would be a deadline of its own.
const expectations = { poll: { timeout: 20_000 } };

// Two projects: `quick` is what `npm test` runs; `npm run check:full` adds `long`, and more runs of every property.
const isFuzzing = process.env['SKILLWRIGHT_FUZZ_RUNS'] !== undefined;

const config: ViteUserConfig = defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: [...ENTRY_ALIASES] },
        test: {
          name: 'quick',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...skipped, ...long],
          expect: expectations,
          testTimeout: isFuzzing ? 600_000 : 30_000,
        },
      },
      {
        resolve: { alias: [...ENTRY_ALIASES] },
        test: {
          name: 'long',
          include: long,
          exclude: skipped,
          expect: expectations,
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
    // Many tests wait for programs and connections: twice as many files as processors keep these busy.
    maxWorkers: availableParallelism() * 2,
    coverage: {
      // CI asks for it, where the thresholds are judged; so does --coverage.
      enabled: process.env['SKILLWRIGHT_COVERAGE'] === 'on',
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', layer('spec')],
      reporter: ['text-summary', 'json-summary', 'html'],
      thresholds: {
        lines: 90,
        [layer('parse')]: { lines: 95 },
        [layer('policy')]: { lines: 95 },
        [layer('sources')]: { lines: 95 },
        [layer('catalog')]: { lines: 95 },
      },
    },
  },
});

export default config;
