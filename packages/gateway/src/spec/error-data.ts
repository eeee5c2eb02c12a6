/** One permanent error code of the gateway: what it means and what to do. The reference page is generated from this table. */
export interface GatewayErrorEntry {
  readonly title: string;
  /** The HTTP status of an answer that carries it. */
  readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 429 | 500 | 502 | 503 | 504;
  readonly meaning: string;
  readonly remedy: string;
}

export const GATEWAY_ERROR_DATA = {
  ConfigurationUnreadable: {
    title: 'The configuration cannot be read',
    status: 500,
    meaning: 'The file is not there, is no JSON, or, in TypeScript, does not load or has no default export.',
    remedy: 'The message names the file and the place in it.',
  },
  InvalidConfiguration: {
    title: 'A setting has a value it cannot have',
    status: 500,
    meaning: 'A key of the configuration, or an environment variable, is unknown or has a wrong value.',
    remedy:
      'The message names every such key, where it stands, and what it takes. See [configuration](../gateway/configuration.md).',
  },
  KeysRequired: {
    title: 'The gateway would be open to the network',
    status: 500,
    meaning: 'The host is not a loopback address and there is no API key yet, so everybody could use the gateway.',
    remedy:
      'Start it once on 127.0.0.1 and keep the admin token that it prints, or set `SKILLWRIGHT_ADMIN_TOKEN`. See [keys](../gateway/keys.md).',
  },
  ListenFailed: {
    title: 'The gateway cannot listen',
    status: 500,
    meaning: 'The address is taken, may not be used by this user, or does not exist on this machine.',
    remedy: 'Choose another `port` or `host`, or end what uses it.',
  },
  StoreInUse: {
    title: 'Another process uses this data directory',
    status: 503,
    meaning: 'A database in a file belongs to one gateway at a time. `data.pid` has the other one, where it is known.',
    remedy: 'End the other gateway, or give this one a `data` directory of its own.',
  },
  StoreNewer: {
    title: 'The database was written by a later version',
    status: 500,
    meaning: 'The database has migrations that this version does not know. Nothing was changed.',
    remedy: 'Update the gateway, or restore the backup that was made before the later version migrated.',
  },
  StoreCorrupt: {
    title: 'The database is damaged',
    status: 500,
    meaning: 'The file is no SQLite database, or its content contradicts itself. Nothing was changed.',
    remedy: 'Restore a backup, or move the file away to start with an empty one.',
  },
  StoreFull: {
    title: 'The database cannot grow',
    status: 503,
    meaning:
      'The disk, or the space that the database may take, is full. What was being written was undone as a whole.',
    remedy: 'Make room and try again.',
  },
  StoreUnavailable: {
    title: 'The database cannot be read or written',
    status: 503,
    meaning: 'The file or its directory may not be written, or the operating system reported a failure. See `cause`.',
    remedy: 'Check the permissions and the disk.',
  },
  StoreConflict: {
    title: 'What is written contradicts what is there',
    status: 409,
    meaning: 'A row with the same key exists, or a row that it refers to does not.',
    remedy: 'Read what is there and write something that fits.',
  },
  StoreClosed: {
    title: 'The gateway was closed',
    status: 503,
    meaning: 'Its store was used after `close()`.',
    remedy: 'Create another gateway.',
  },
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
    meaning: 'Its body, as received or as unpacked, exceeds `limits.bodyBytes`. Nothing of it was used.',
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
    title: 'The body is no JSON by its own word',
    status: 415,
    meaning: 'The `content-type` of the request is another than JSON.',
    remedy: 'Send `content-type: application/json`.',
  },
  InvalidJson: {
    title: 'The body is no JSON',
    status: 400,
    meaning: 'It is no JSON text in UTF-8, or it is nested more deeply than any real request is.',
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
  RouteNotFound: {
    title: 'There is nothing at this address',
    status: 404,
    meaning: 'No route has this method and path.',
    remedy: 'Check the path and the method.',
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

export type GatewayErrorCode = keyof typeof GATEWAY_ERROR_DATA;
