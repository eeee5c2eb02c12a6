/** Somewhere that models are. */
export interface UpstreamConfig {
  /** Unique among the upstreams. */
  readonly id: string;
  /** What it speaks; requests in other formats do not go there. */
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';
  /** As the vendor's own client takes it. */
  readonly baseUrl: string;
  /** The environment variable with the key. Default: none is sent. */
  readonly apiKeyEnv?: string | undefined;
  /** Names of models that go there, `*` for any text. Default: all. */
  readonly models: readonly string[];
  /** A client's own key for the provider, where it sends one, is sent in place of the configured one. Default false. */
  readonly forwardKeys: boolean;
}

export interface GatewayLimits {
  /** Bytes of a request, as received and as unpacked. Default 32 MiB. */
  readonly bodyBytes: number;
  /** Time for a client to send its request. Default 60,000. */
  readonly bodyMs: number;
  /** Of a key that has no limit of its own, and of all anonymous clients together. Default 600. */
  readonly requestsPerMinute: number;
  /** Of a key that has no limit of its own, and of all anonymous clients together. Default 100. */
  readonly concurrentRequests: number;
  /** Time for what is under way when the gateway is told to end. Default 10,000. */
  readonly shutdownMs: number;
  /** How long executions are kept. Default 30. */
  readonly executionDays: number;
  /** How long a conversation is remembered after its last request. Default 30. */
  readonly conversationDays: number;
  /** Rounds of one request in which skills are run. Default 16. */
  readonly skillRounds: number;
  /** Time of one request in which skills are run. Default 300,000. */
  readonly skillMs: number;
  /** Tokens, in and out, of all rounds of one request. Default 2,000,000. */
  readonly skillTokens: number;
}

/** The configuration, with every default put in. */
export interface GatewayConfig {
  /** An address of this machine. Any but a loopback address needs API keys. Default `127.0.0.1`. */
  readonly host: string;
  /** 0 takes any that is free. Default 4747. */
  readonly port: number;
  /** The directory of the database and of workspaces. Default `./.skillwright`. */
  readonly data: string;
  readonly store: 'sqlite';
  /** Directories of skills; those that are not there have none. Default `./skills`. */
  readonly skills: readonly string[];
  /** Default: those of the providers whose keys are in the environment. */
  readonly upstreams: readonly UpstreamConfig[];
  /** Names that the Host header may have besides IP addresses and localhost. Default: none. */
  readonly allowedHosts: readonly string[];
  /** Origins, such as `https://app.example`, whose web pages may use the gateway. Default: none. */
  readonly allowedOrigins: readonly string[];
  readonly limits: GatewayLimits;
  /** How skills run: the least isolation, and whether they may use the network. Default `process`, and no. */
  readonly sandbox: { readonly min: 'process' | 'bubblewrap'; readonly network: boolean };
  /** The least severe of what is logged. Default `info`. */
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** What a configuration file holds. */
export type GatewayConfigInput = Partial<Omit<GatewayConfig, 'limits' | 'sandbox' | 'upstreams'>> & {
  readonly limits?: Partial<GatewayLimits>;
  readonly sandbox?: Partial<GatewayConfig['sandbox']>;
  readonly upstreams?: readonly (Omit<UpstreamConfig, 'models' | 'forwardKeys'> &
    Partial<Pick<UpstreamConfig, 'models' | 'forwardKeys'>>)[];
};
