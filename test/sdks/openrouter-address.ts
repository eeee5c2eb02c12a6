// Loaded by `node --import`, because `@openrouter/agent` reads no base URL from its environment.
const OWN = 'https://openrouter.ai/api/v1';
const other = process.env['OPENROUTER_BASE_URL'] ?? OWN;
const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  return send(request.url.startsWith(OWN) ? new Request(request.url.replace(OWN, other), request) : request);
};
