import { parseAddress } from '../address/address.ts';
import { canonicalHost } from '../http/request-url.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';

/** Which hosts may be reached, by name. */
export interface EgressRules {
  /** `host` is spelled as in `parseRequestUrl`. */
  permits(host: string, port: number): boolean;
}

interface EgressRule {
  readonly host: string;
  /** Matches names below `host`, but not `host` itself. */
  readonly below: boolean;
  readonly ports: readonly number[];
}

/** The ports that entries without a port allow. */
const WEB_PORTS: readonly number[] = [80, 443];
const ENTRY = /^(\*\.)?(\[[^\]]+\]|[^:[\]*]+)(?::(\d{1,5}))?$/;

/** Entries are `api.example.com`, `*.pypi.org` for the names below it, or either with a port: `git.example.com:8443`. */
export function parseEgressRules(entries: unknown): EgressRules {
  if (!Array.isArray(entries)) throw invalid("Option 'sandbox.egress.allow' must be a list of hosts.");
  const rules = entries.map(parseEntry);
  return {
    permits: (host, port) =>
      rules.some(
        (rule) => rule.ports.includes(port) && (rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host),
      ),
  };
}

function parseEntry(entry: unknown): EgressRule {
  const [, star, subject = '', portText] = typeof entry === 'string' ? (ENTRY.exec(entry) ?? []) : [];
  const bare = subject.startsWith('[') ? subject.slice(1, -1) : subject;
  const host = parseAddress(bare) === undefined ? canonicalHost(subject) : bare.toLowerCase();
  const port = portText === undefined ? undefined : Number(portText);
  const isAddress = host !== undefined && parseAddress(host) !== undefined;
  if (host === undefined || port === 0 || (port ?? 1) > 65_535 || (star !== undefined && isAddress))
    throw invalid(
      `Option 'sandbox.egress.allow' has the entry ${JSON.stringify(entry)}, which is not a host. ` +
        "Write 'api.example.com', '*.example.com' for its subdomains, or 'api.example.com:8443'.",
    );
  return { host, below: star !== undefined, ports: port === undefined ? WEB_PORTS : [port] };
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', message, { data: { option: 'sandbox.egress.allow' } });
}
