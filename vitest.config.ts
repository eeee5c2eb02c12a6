import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const long = ['**/*.long.test.ts'];
const skipped = ['**/node_modules/**', '**/dist/**'];
const layer = (name: string): string => `packages/skillwright/src/${name}/**`;
const source = (path: string): string => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

// The packages find each other's sources under their public names, never what was built last.
const alias = [
  { find: /^skillwright$/, replacement: source('skillwright/src/index.ts') },
  { find: /^skillwright\/wire$/, replacement: source('skillwright/src/wire/index.ts') },
  { find: /^skillwright\/host$/, replacement: source('skillwright/src/host.ts') },
  { find: /^skillwright\/commands$/, replacement: source('skillwright/src/commands.ts') },
  { find: /^skillwright\/testing$/, replacement: source('skillwright/src/testing/index.ts') },
  { find: /^@skillwright\/gateway$/, replacement: source('gateway/src/index.ts') },
];

// What is polled for may come late on a busy machine: the default of a second would be a deadline of its own.
const expectations = { poll: { timeout: 20_000 } };

// Two projects: `quick` is what `npm test` runs; `npm run check:full` adds `long`, and more runs of every property.
const isFuzzing = process.env['SKILLWRIGHT_FUZZ_RUNS'] !== undefined;

const config: ViteUserConfig = defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'quick',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...skipped, ...long],
          expect: expectations,
          testTimeout: isFuzzing ? 600_000 : 30_000,
        },
      },
      {
        resolve: { alias },
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
