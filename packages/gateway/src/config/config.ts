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
  /** JSON values of a body that is parsed: keys, texts, numbers, literals, arrays and objects. Default 500,000. */
  readonly jsonValues: number;
  /** Time for a client to send its request. Default 60,000. */
  readonly bodyMs: number;
  /** Of a key that has no limit of its own, and of all anonymous clients together. Default 600. */
  readonly requestsPerMinute: number;
  /** Of a key that has no limit of its own, and of all anonymous clients together. Default 100. */
  readonly concurrentRequests: number;
  /** Executions of all keys together; each key may have as many as it may have requests. Default 256. */
  readonly concurrentExecutions: number;
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
  /** Time for the model to wind up once that for skills is over. Default 30,000. */
  readonly skillGraceMs: number;
  /** How often a client hears something while skills run. Default 10,000. */
  readonly keepAliveMs: number;
  /** How long a request waits for a person to approve what a skill would do. Default 0: the model is told at once. */
  readonly approvalWaitMs: number;
  /** How long traces are kept. Default 14. */
  readonly traceDays: number;
}

/** What the skills that the gateway brings itself may do. */
export interface BuiltInsConfig {
  /** Bytes of a file that is read or written. Default 1 MiB. */
  readonly maxFileBytes: number;
  /** Bytes of one tenant's workspace. Default 64 MiB. */
  readonly workspaceBytes: number;
  /** Bytes of an answer to `http_request`. Default 256,000. */
  readonly maxHttpResponseBytes: number;
  /** Hosts and addresses that `http_request` and `browser` reach although they are not public. Default: none. */
  readonly allowHosts: readonly string[];
  /** Where `web_search` searches. Default `none`. */
  readonly searchProvider: 'none' | 'searxng' | 'brave';
  /** The address of the SearXNG, or of another than Brave's own. Default: none. */
  readonly searchUrl: string;
  /** The environment variable with the key of the search. Default `BRAVE_API_KEY`. */
  readonly searchKeyEnv: string;
  /** The least isolation of `eval_code` and `execute_command`, where `sandbox.min` is not more. Default `bubblewrap`. */
  readonly minIsolation: 'process' | 'bubblewrap' | 'container';
  /** Characters of standard output and of standard error, each. Default 100,000. */
  readonly maxSandboxOutputChars: number;
  /** Time for a program that asks for none. Default 10,000; more than 60,000 is 60,000. */
  readonly sandboxTimeoutMs: number;
  /** Whether a call may ask for the network. Default false. */
  readonly sandboxNetworkEnabled: boolean;
  /** The program that `browser` starts. Default: what Playwright finds. */
  readonly browserProgram: string;
}

/** How the programs of skills and built-ins are kept from the rest of the machine. */
export interface SandboxConfig {
  /** The least isolation. Default `process`. */
  readonly min: 'process' | 'bubblewrap' | 'container';
  /** Whether skills may use the network. Default false. */
  readonly network: boolean;
  /** The hosts that programs may reach where they may use the network, such as `*.pypi.org`. Default: any. */
  readonly egressAllow: readonly string[];
  /** What of these hosts may be reached although its address is not public: `mirror.internal:8080`, `10.0.0.0/8`. Default: none. */
  readonly egressPrivate: readonly string[];
  readonly container: ContainerConfig;
}

/** How containers are started, in the tier of that name. */
export interface ContainerConfig {
  /** Default `auto`: docker where it answers, otherwise podman. */
  readonly engine: 'auto' | 'docker' | 'podman';
  /** Images that may be used beside `alpine:3.20`, `node:22-alpine` and `python:3.12-alpine`. Default: none. */
  readonly images: readonly string[];
  /** The image for every program. Default: the one of the three that is made for it. */
  readonly image: string;
  /** Memory of one container. Default 268,435,456. */
  readonly memoryBytes: number;
  /** Thousandths of a processor that one container may use. Default 500. */
  readonly cpuLimit: number;
}

/** The configuration, with every default put in. */
export interface GatewayConfig {
  /** An address of this machine. Any but a loopback address needs API keys. Default `127.0.0.1`. */
  readonly host: string;
  /** 0 takes any that is free. Default 4747. */
  readonly port: number;
  /** The directory of the database and of workspaces. Default `./.skillwright`. */
  readonly data: string;
  /** Directories of skills; those that are not there have none. Default `./skills`. */
  readonly skills: readonly string[];
  /** Whether changes in these directories count at once. Default true. */
  readonly watch: boolean;
  /** A module whose exports are handlers, by name. Default: none. */
  readonly handlers: string;
  /** Default: those of the providers whose keys are in the environment. */
  readonly upstreams: readonly UpstreamConfig[];
  /**
   * What programs on this machine may do without a key. `off`: nothing. `chat`: use models, without skills. `skills`: use
   * models with skills, which then run for them. Only model routes are opened. Default `off`.
   */
  readonly anonymous: 'off' | 'chat' | 'skills';
  /** Names that the Host header may have besides IP addresses and localhost. Default: none. */
  readonly allowedHosts: readonly string[];
  /** Origins, such as `https://app.example`, whose web pages may use the gateway. Default: none. */
  readonly allowedOrigins: readonly string[];
  readonly limits: GatewayLimits;
  /** How skills run. */
  readonly sandbox: SandboxConfig;
  readonly builtins: BuiltInsConfig;
  /** The least severe of what is logged. Default `info`. */
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Lines of the log. Default `auto`: text if standard error is a terminal, otherwise JSON. */
  readonly logFormat: 'auto' | 'text' | 'json';
}

/** What a configuration file holds. */
export type GatewayConfigInput = Partial<Omit<GatewayConfig, 'limits' | 'sandbox' | 'builtins' | 'upstreams'>> & {
  readonly limits?: Partial<GatewayLimits>;
  readonly sandbox?: Partial<Omit<SandboxConfig, 'container'>> & { readonly container?: Partial<ContainerConfig> };
  readonly builtins?: Partial<BuiltInsConfig>;
  readonly upstreams?: readonly (Omit<UpstreamConfig, 'models' | 'forwardKeys'> &
    Partial<Pick<UpstreamConfig, 'models' | 'forwardKeys'>>)[];
};
