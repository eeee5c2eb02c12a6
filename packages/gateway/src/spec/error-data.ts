import { BUILT_IN_ERROR_DATA } from './built-in-error-data.ts';

/** One permanent error code of the gateway: what it means and what to do. The reference page is generated from this table. */
export interface GatewayErrorEntry {
  readonly title: string;
  /** The HTTP status of an answer that carries it. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;
  readonly meaning: string;
  readonly remedy: string;
}

const OWN_ERROR_DATA = {
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
  UnknownHandler: {
    title: 'No handler has this name',
    status: 422,
    meaning: '`handlerCode` is the name of a handler that the program of the gateway registered. It is never code.',
    remedy: 'Register the handler at the start of the gateway, or name one that is there: `data.handlers` has them.',
  },
  InvalidSchema: {
    title: 'A schema is no JSON Schema',
    status: 422,
    meaning: 'The schema of what goes in or comes out cannot be used to check a value.',
    remedy: 'The message names the place in the schema.',
  },
  InputTooLarge: {
    title: 'The input of a skill is too large',
    status: 413,
    meaning: 'It takes more than 4 MiB as JSON, or has more than 200,000 values. Nothing was run.',
    remedy: 'Send less, or have the skill read it from its workspace.',
  },
  TooManyExecutions: {
    title: 'Too many executions at the same time',
    status: 429,
    meaning:
      'As many executions are under way as the key (its `concurrentRequests`) or the gateway (`limits.concurrentExecutions`, and 32 MiB of inputs) may have. Nothing was run.',
    remedy: 'Wait for one of them to end, cancel one, or raise the limit.',
  },
  ExecutionFailed: {
    title: 'A skill failed',
    status: 500,
    meaning: 'What ran threw an error, took too long, or answered what it must not. Its execution has the details.',
    remedy: 'Look at the execution. Call again only if that is safe.',
  },
  ExecutionNotFound: {
    title: 'There is no such execution',
    status: 404,
    meaning: 'No execution has this id, it belongs to another key, or it is so old that it was removed.',
    remedy: 'List the executions to see those that there are.',
  },
  ExecutionEnded: {
    title: 'The execution has ended',
    status: 409,
    meaning: 'What has ended cannot be cancelled.',
    remedy: 'Nothing has to be done.',
  },
  ApprovalNotFound: {
    title: 'There is no such approval',
    status: 404,
    meaning: 'No question to a person has this id, or it was withdrawn, or it expired long ago.',
    remedy: 'List the approvals to see those that there are.',
  },
  ApprovalDecided: {
    title: 'The approval takes no answer any more',
    status: 409,
    meaning: 'Somebody has answered it, or it has expired.',
    remedy: 'Withdraw an answer to take it back; what is then asked for again is a new question.',
  },
  TooManyApprovals: {
    title: 'Too many questions wait for a person',
    status: 429,
    meaning: 'As many approvals of the key are pending as it may have.',
    remedy: 'Answer or withdraw some of them.',
  },
  TraceNotFound: {
    title: 'There is no such trace',
    status: 404,
    meaning: 'No trace has this id, it belongs to another key, or it is so old that it was removed.',
    remedy: 'List the traces to see those that there are.',
  },
  AgentSkillNotFound: {
    title: 'No such document',
    status: 404,
    meaning: 'No document of the catalog for agents has the id.',
    remedy: '`GET /api/agent-skills` lists them. See [agent skills](../gateway/agent-skills.md).',
  },
  KeyNotFound: {
    title: 'There is no such key',
    status: 404,
    meaning: 'No key has this id, or it was revoked before.',
    remedy: 'List the keys to see those that there are.',
  },
  LastManageKey: {
    title: 'Nobody could manage the gateway any more',
    status: 409,
    meaning: 'It is the last key with the scope `manage` that does not expire.',
    remedy: 'Create another one first.',
  },
  UnknownSkill: {
    title: 'There is no such skill',
    status: 404,
    meaning: 'No skill that the key sees has this name, or none of its versions is in the range.',
    remedy: 'List the skills to see those that there are.',
  },
  SkillExists: {
    title: 'The skill is there already',
    status: 409,
    meaning: 'The key has a skill of this name and version.',
    remedy: 'Give it another version, or remove the one that is there.',
  },
  InvalidSkill: {
    title: 'A skill cannot be registered like this',
    status: 400,
    meaning: 'A name, a version or another value of the skill is not what it must be.',
    remedy: 'The message names the value and what it takes.',
  },
  InvalidRange: {
    title: 'A version range cannot be read',
    status: 400,
    meaning: 'It is neither a version, nor `latest`, nor a range such as `^1.2`, `~1.2.3` or `>=1 <3`.',
    remedy: 'Correct the range.',
  },
  InvalidInput: {
    title: 'The input does not fit the skill',
    status: 400,
    meaning: 'It breaks the schema of the handler, or names neither a script nor a tool of a package.',
    remedy: 'The message names what is wrong.',
  },
  SkillNotAllowed: {
    title: 'The skill may not run',
    status: 403,
    meaning: 'Its mode is `off`, its policy does not let a model run it, or it is not for whoever has no key.',
    remedy: 'The message has the reason. An operator can change the mode and the policy of a skill.',
  },
  ApprovalRequired: {
    title: 'A person must approve first',
    status: 403,
    meaning: 'The policy of the skill is `hybrid`. `data.approvalId` names the question that waits for an answer.',
    remedy: 'Answer it over REST or the dashboard, and call again.',
  },
  ApprovalDenied: {
    title: 'A person did not allow it',
    status: 403,
    meaning:
      'The policy of the skill is `hybrid`, and the answer was no. `data.approvalId` names the question that was answered.',
    remedy: 'Do not call it again. A person can take the answer back over REST or the command line.',
  },
  SkillsDisabled: {
    title: 'Skills execution is disabled',
    status: 503,
    meaning: 'The master switch, the setting `skillsEnabled`, is off: nothing is run and nothing is shown to models.',
    remedy: 'Turn it on in the settings.',
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

export const GATEWAY_ERROR_DATA: typeof OWN_ERROR_DATA & typeof BUILT_IN_ERROR_DATA = {
  ...OWN_ERROR_DATA,
  ...BUILT_IN_ERROR_DATA,
};

export type GatewayErrorCode = keyof typeof GATEWAY_ERROR_DATA;
