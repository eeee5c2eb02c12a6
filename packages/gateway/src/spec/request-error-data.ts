/** What can be wrong with any request, or keep it from being answered. */
export const REQUEST_ERROR_DATA = {
  Unauthenticated: {
    title: 'No valid key',
    status: 401,
    meaning:
      'The request carries no API key where one is needed, or one that does not exist, has expired or was revoked.',
    remedy: 'Send a key as `Authorization: Bearer …`, `x-api-key`, `x-goog-api-key` or `?key=`.',
  },
  ScopeMissing: {
    title: 'The key may not do this',
    status: 403,
    meaning: 'The key is valid, but none of its scopes covers the request. `data.scopes` has those that would.',
    remedy: 'Use another key, or create one with the scope.',
  },
  HostNotAllowed: {
    title: 'The Host header names another site',
    status: 403,
    meaning: 'It is neither an IP address nor localhost nor in `allowedHosts`: a web page could be behind the request.',
    remedy: 'Use the address of the gateway, or add the name to `allowedHosts`.',
  },
  OriginNotAllowed: {
    title: 'A web page of another site sent the request',
    status: 403,
    meaning: 'Its `Origin` is neither that of the gateway nor in `allowedOrigins`.',
    remedy: 'Add the origin to `allowedOrigins` if its pages may use the gateway.',
  },
  RateLimited: {
    title: 'Too many requests in too short a time',
    status: 429,
    meaning: 'The key has used up its requests. The header `retry-after` says when there is one again.',
    remedy: 'Wait, or raise the limit of the key.',
  },
  ConcurrencyLimited: {
    title: 'Too many requests at the same time',
    status: 429,
    meaning: 'As many requests of the key are under way as it may have.',
    remedy: 'Wait for one of them to end, or raise the limit of the key.',
  },
  BodyTooLarge: {
    title: 'The request is too large',
    status: 413,
    meaning:
      'Its body, as received or as unpacked, exceeds `limits.bodyBytes`, or 8 MiB under `/api`. Nothing of it was used.',
    remedy: 'Send less, or raise the limit.',
  },
  TooManyValues: {
    title: 'The request has too many JSON values',
    status: 413,
    meaning:
      'Its body has more keys, texts, numbers, literals, arrays and objects than `limits.jsonValues`. It was not parsed: that would keep all other requests waiting.',
    remedy: 'Send less, or raise the limit.',
  },
  BodyUnreadable: {
    title: 'The body of the request is broken',
    status: 400,
    meaning: 'It ended early, or it is not packed as its `content-encoding` says.',
    remedy: 'Send it again, whole.',
  },
  BodyTimeout: {
    title: 'The body of the request did not arrive in time',
    status: 408,
    meaning: 'The client stopped sending, or sends too slowly.',
    remedy: 'Send it again, or raise `limits.bodyMs`.',
  },
  EncodingNotSupported: {
    title: 'The body is packed in an unknown way',
    status: 415,
    meaning: 'Bodies may be packed once, with gzip, deflate, br or zstd.',
    remedy: 'Use one of these, or none.',
  },
  ContentTypeNotSupported: {
    title: 'The content type is not JSON',
    status: 415,
    meaning: 'The `content-type` of the request is not that of JSON.',
    remedy: 'Send `content-type: application/json`.',
  },
  InvalidJson: {
    title: 'The body is not valid JSON',
    status: 400,
    meaning: 'It is not JSON in UTF-8, or it is nested more deeply than any real request is.',
    remedy: 'The message has the place, where it is known.',
  },
  InvalidHeader: {
    title: 'A header has a value it cannot have',
    status: 400,
    meaning: 'A header of the gateway, one that starts with `x-skillwright-`, is not understood.',
    remedy: 'The message names the header and what it takes.',
  },
  ModelNotFound: {
    title: 'No upstream has this model',
    status: 404,
    meaning: 'The model of the request fits none of the upstreams that speak its format.',
    remedy: 'The message names the models that there are. See [upstreams](../gateway/upstreams.md).',
  },
  UpstreamUnreachable: {
    title: 'The provider cannot be reached',
    status: 502,
    meaning: 'There was no connection to the upstream, or it broke before there was an answer.',
    remedy: 'Check the `baseUrl` of the upstream and the network, and try again.',
  },
  UpstreamTimeout: {
    title: 'The provider did not answer in time',
    status: 504,
    meaning: 'The upstream took the request and then said nothing for too long.',
    remedy: 'Try again later.',
  },
  UpstreamRedirected: {
    title: 'The provider redirects elsewhere',
    status: 502,
    meaning:
      'The upstream answered with a redirect. The gateway follows none and passes none on: the client would take its gateway key to another host. The message has the origin that it leads to.',
    remedy: 'If the origin is the right one, make it the `baseUrl` of the upstream.',
  },
  RouteNotFound: {
    title: 'There is nothing at this address',
    status: 404,
    meaning: 'No route has this method and path.',
    remedy: 'Check the path and the method.',
  },
  PreviousResponseNotFound: {
    title: 'The request goes on from a response that this key does not have',
    status: 404,
    meaning:
      '`previous_response_id` names no response that the gateway gave to this key, or the gateway has forgotten it (`limits.conversationDays`). Nothing went upstream.',
    remedy: 'Send the history instead, or use a key with the scope `manage` for responses of others.',
  },
  StoredNotFound: {
    title: 'The request names something that this key does not have',
    status: 404,
    meaning:
      'An item, a conversation or a container that the body names by its id is in no answer that the gateway gave to this key, or the gateway has forgotten it (`limits.conversationDays`). Nothing went upstream.',
    remedy: 'Send the item itself instead of its id, or use a key with the scope `manage` for what others have.',
  },
  MethodNotAllowed: {
    title: 'The address does not take this method',
    status: 405,
    meaning: 'There is something at this path, for other methods. The header `allow` has them.',
    remedy: 'Use one of the methods of the header.',
  },
  InvalidRequest: {
    title: 'A part of the request has a value it cannot have',
    status: 400,
    meaning: 'A parameter or a member of the body is missing, unknown or wrong. `data.problems` has them all.',
    remedy: 'The message names each of them and what it takes. `/openapi.json` describes every request.',
  },
  ShuttingDown: {
    title: 'The gateway is shutting down',
    status: 503,
    meaning: 'It finishes what is under way and takes nothing new.',
    remedy: 'Try again when it has started again.',
  },
  Unexpected: {
    title: 'Something went wrong inside',
    status: 500,
    meaning: 'A defect of the gateway. The log has the details under the request id of the answer.',
    remedy: 'Please report it.',
  },
} as const;
