import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Run by `npm run test:sdks`, which installs the clients first. Their names keep these files out of the quick tests, which
// need none of the clients.
const config: ViteUserConfig = defineConfig({
  test: { name: 'sdks', include: ['**/*.sdk.ts'], exclude: ['**/node_modules/**'], testTimeout: 30_000 },
});

export default config;
