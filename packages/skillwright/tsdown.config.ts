import { defineConfig, type UserConfig } from 'tsdown';

// Readable output, one file per entry plus a chunk per lazily loaded command. Dependencies stay imports, so that npm
// installs each of them once and users can update them.
const config: UserConfig = defineConfig({
  entry: {
    index: 'src/index.ts',
    select: 'src/select.ts',
    sandbox: 'src/sandbox.ts',
    record: 'src/record.ts',
    otel: 'src/otel.ts',
    demo: 'src/demo.ts',
    wire: 'src/wire/index.ts',
    host: 'src/host.ts',
    mcp: 'src/mcp.ts',
    commands: 'src/commands.ts',
    testing: 'src/testing/index.ts',
    cli: 'src/cli.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: { oxc: true },
  deps: { neverBundle: true },
  fixedExtension: true,
  minify: false,
  sourcemap: false,
  clean: true,
});

export default config;
