import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

// Run by `npm run test:sdks`, which installs the clients first. Their names keep these files out of the quick tests, which
// need none of the clients. The packages find each other's sources under their public names, as everywhere else.
const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^skillwright$/, replacement: source('skillwright/src/index.ts') },
      { find: /^skillwright\/wire$/, replacement: source('skillwright/src/wire/index.ts') },
      { find: /^skillwright\/host$/, replacement: source('skillwright/src/host.ts') },
    ],
  },
  test: { name: 'sdks', include: ['**/*.sdk.ts'], exclude: ['**/node_modules/**'], testTimeout: 30_000 },
});

export default config;
