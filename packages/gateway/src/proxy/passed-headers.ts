/** Of one connection, about a body that is written anew, or speaking for the site that answers. */
const NOT_PASSED =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|date|server|set-cookie|alt-svc|strict-transport-security|clear-site-data|access-control-.*|x-skillwright-.*)$/;

/** Headers of a provider's answer that are the client's to see, such as rate limits and the provider's own request id. */
export function passedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED.test(name.toLowerCase())));
}
