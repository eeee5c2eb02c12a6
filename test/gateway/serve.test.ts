import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { serve } from '../../packages/gateway/src/serve.ts';
import { makeDataDirectory } from './store/data-directory.ts';

it('leaves nothing open when the first key cannot be made', async () => {
  const data = makeDataDirectory();
  const start = (port: number): ReturnType<typeof serve> =>
    serve({ cwd: data, env: {}, overrides: { port, data, logLevel: 'silent' } });
  await (await start(0)).close();
  const database = new DatabaseSync(join(data, 'gateway.db'));
  database.exec('DELETE FROM api_keys');
  database.exec("CREATE TRIGGER full BEFORE INSERT ON api_keys BEGIN SELECT RAISE(ABORT, 'no room'); END");
  database.close();
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  await expect(start(port)).rejects.toThrow('no room');
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
});
