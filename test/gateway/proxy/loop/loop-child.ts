import { createGateway } from '../../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../../packages/gateway/src/config/config.ts';
import { listenWith } from '../../../../packages/gateway/src/serve.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

// Runs as its own process: a gateway with this configuration that prints its address and waits to be killed.
const config = JSON.parse(process.argv[2] ?? '{}') as GatewayConfigInput;
const gateway = await createGateway(config, { env: process.env });
await gateway.handlers.register(ECHO_HANDLER);
const { url } = await listenWith(gateway);
console.log(url);
