import { defineConfig } from 'vitest/config';

const long = ['**/*.long.test.ts'];
const skipped = ['**/node_modules/**', '**/dist/**'];

// Two projects: `quick` is what `npm test` runs, `long` holds soaks and fuzzing for `npm run check:full`.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'quick',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...skipped, ...long],
          testTimeout: 30_000,
        },
      },
      { test: { name: 'long', include: long, exclude: skipped, testTimeout: 600_000 } },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/spec/**'],
      reporter: ['text-summary', 'json-summary', 'html'],
    },
  },
});
