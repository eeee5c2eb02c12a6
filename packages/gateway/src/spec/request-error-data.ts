/** Errors of requests in general. */
export const REQUEST_ERROR_DATA = {
  Unauthenticated: {
    title: 'No valid key',
    status: 401,
    meaning: 'The request needs an API key and has none, or its key does not exist, has expired or was revoked.',
    remedy: 'Send a key as `Authorization: Bearer …`, `x-api-key`, `x-goog-api-key` or `?key=`.',
  },
  ScopeMissing: {
    title: 'The key lacks the required scope',
    status: 403,
    meaning: 'The key is valid, but none of its scopes allows the request. `data.scopes` lists the scopes that do.',
    remedy: 'Use a key with one of these scopes, or create one.',
  },
  HostNotAllowed: {
    title: 'The Host header names another site',
    status: 403,
    meaning:
      'It is not an IP address, localhost or an entry of `allowedHosts`. The check protects against DNS rebinding, which lets a web page send requests to the gateway.',
    remedy: "Use the gateway's own address, or add the name to `allowedHosts`.",
  },
  OriginNotAllowed: {
    title: 'A web page from another site sent the request',
    status: 403,
    meaning: "Its `Origin` is neither the gateway's own nor in `allowedOrigins`.",
    remedy: 'If pages of that origin may use the gateway, add it to `allowedOrigins`.',
  },
  RateLimited: {
    title: 'The key exceeded its rate limit',
    status: 429,
    meaning:
      'The key has used all its requests for this period. The header `retry-after` says when the next one is allowed.',
    remedy: 'Wait, or raise the limit of the key.',
  },
  ConcurrencyLimited: {
    title: 'Too many concurrent requests',
    status: 429,
    meaning: 'The key is at its limit of concurrent requests.',
    remedy: 'Wait until one of them ends, or raise the limit of the key.',
  },
  BodyTooLarge: {
    title: 'The request is too large',
    status: 413,
    meaning:
      'Its body exceeds `limits.bodyBytes`, or 8 MiB under `/api`, either as received or after decompression. The gateway did not use any of it.',
    remedy: 'Send less, or raise the limit.',
  },
  TooManyValues: {
    title: 'The request has too many JSON values',
    status: 413,
    meaning:
      'Its body has more keys, strings, numbers, literals, arrays and objects than `limits.jsonValues`. The gateway did not parse it, because that would block all other requests.',
    remedy: 'Send less, or raise the limit.',
  },
  BodyUnreadable: {
    title: 'The body of the request is incomplete or corrupt',
    status: 400,
    meaning: 'It ended early, or it is not compressed in the way its `content-encoding` declares.',
    remedy: 'Send the complete request again.',
  },
  BodyTimeout: {
    title: 'The body of the request did not arrive in time',
    status: 408,
    meaning: 'The client stopped sending, or sends too slowly.',
    remedy: 'Send it again, or raise `limits.bodyMs`.',
  },
  EncodingNotSupported: {
    title: 'The compression of the body is not supported',
    status: 415,
    meaning: 'A body may be compressed once, with gzip, deflate, br or zstd.',
    remedy: 'Use one of these, or send the body uncompressed.',
  },
  ContentTypeNotSupported: {
    title: 'The content type is not JSON',
    status: 415,
    meaning: 'The `content-type` of the request is not a JSON type.',
    remedy: 'Send `content-type: application/json`.',
  },
  InvalidJson: {
    title: 'The body is not valid JSON',
    status: 400,
    meaning: 'It is not JSON in UTF-8, or it is nested too deeply.',
    remedy: 'Correct the body. The message gives the position if it is known.',
  },
  InvalidHeader: {
    title: 'A header is invalid',
    status: 400,
    meaning: 'An `x-skillwright-` header is not known, or its value is invalid.',
    remedy: 'Correct the header. The message names it, and a similar header or the values that it accepts.',
  },
  ModelNotFound: {
    title: 'No upstream provides this model',
    status: 404,
    meaning: 'None of the upstreams for this API format provides the model of the request.',
    remedy:
      'Use one of the models that the message lists, or add an upstream. See [upstreams](../gateway/upstreams.md).',
  },
  UpstreamUnreachable: {
    title: 'The provider cannot be reached',
    status: 502,
    meaning: 'The connection to the upstream failed, or it broke before a response arrived.',
    remedy: 'Check the `baseUrl` of the upstream and the network, and try again.',
  },
  UpstreamTimeout: {
    title: 'The provider did not respond in time',
    status: 504,
    meaning: 'The upstream accepted the request and then sent nothing for too long.',
    remedy: 'Try again later.',
  },
  UpstreamRedirected: {
    title: 'The provider sent a redirect',
    status: 502,
    meaning:
      'The upstream responded with a redirect. The gateway neither follows nor forwards redirects, because the client would send its gateway key to another host. The message names the target origin.',
    remedy: 'If the target is correct, make it the `baseUrl` of the upstream.',
  },
  RouteNotFound: {
    title: 'The route does not exist',
    status: 404,
    meaning: 'No route has this method and path.',
    remedy: 'Check the path and the method.',
  },
  PreviousResponseNotFound: {
    title: 'The previous response does not belong to this key',
    status: 404,
    meaning:
      '`previous_response_id` names a response that this key did not receive, or one older than `limits.conversationDays`. The gateway sent nothing to the provider.',
    remedy: 'Send the history instead, or use a key with the scope `manage` to use the responses of other keys.',
  },
  StoredNotFound: {
    title: 'A stored item does not belong to this key',
    status: 404,
    meaning:
      'The body names an item, a conversation or a container by an id that this key never received, or that is older than `limits.conversationDays`. The gateway sent nothing to the provider.',
    remedy:
      'Send the item itself instead of its id, or use a key with the scope `manage` to use the items of other keys.',
  },
  MethodNotAllowed: {
    title: 'The method is not allowed',
    status: 405,
    meaning: 'The path exists, but it does not support this method. The header `allow` lists the methods it supports.',
    remedy: 'Use one of the methods in the header `allow`.',
  },
  InvalidRequest: {
    title: 'The request is invalid',
    status: 400,
    meaning: 'A parameter or a field of the body is missing, unknown or invalid. `data.problems` lists all of them.',
    remedy: 'Correct the values that the message names. `/openapi.json` describes every request.',
  },
  ShuttingDown: {
    title: 'The gateway is shutting down',
    status: 503,
    meaning: 'It finishes requests in progress and accepts no new ones.',
    remedy: 'Try again after the restart.',
  },
  Unexpected: {
    title: 'Internal error of the gateway',
    status: 500,
    meaning: 'The gateway has a bug. The log has the details under the request id of the response.',
    remedy: 'Please report it with the log entry.',
  },
} as const;
