import { defineConfig, type UserConfig } from 'tsdown';

// Readable output in one file. Dependencies, the library among them, stay imports: nobody gets two copies of it.
const gateway: UserConfig = {
  entry: { index: 'src/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: { oxc: true },
  deps: { neverBundle: true },
  fixedExtension: true,
  minify: false,
  sourcemap: false,
  clean: true,
  // The paths in it lead to the sources of the library, for the type checker.
  tsconfig: false,
};

// The script of the page at /docs, which the gateway serves as it is.
const page: UserConfig = {
  entry: { 'docs-page': 'src/pages/browser/page.ts' },
  format: 'esm',
  platform: 'browser',
  target: 'es2024',
  dts: false,
  outExtensions: () => ({ js: '.mjs' }),
  minify: false,
  sourcemap: false,
  clean: false,
  tsconfig: false,
};

const config: UserConfig[] = defineConfig([gateway, page]);

export default config;
