// `skillwright/mcp`: skills over MCP, for servers. Loading it takes a while, so import it when it is needed.
import { assertNodeVersion } from './process/node-version.ts';

export { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from './surfaces/mcp/host-endpoint.ts';

assertNodeVersion();
