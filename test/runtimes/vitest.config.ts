import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Run by `npm run test:runtimes`, which installs the runtimes first. Their names keep these files out of the quick tests.
const config: ViteUserConfig = defineConfig({
  test: { name: 'runtimes', include: ['**/*.runtime.ts'], exclude: ['**/node_modules/**'], testTimeout: 120_000 },
});

export default config;
