import type { HostedConversation } from 'skillwright/host';

export interface AliasOptions {
  /** Other names, with the names that they stand for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Names of the tools of handlers and built-ins that were added to the request. */
  readonly added: readonly string[];
  /** Names of the client's own tools. */
  readonly theirs: ReadonlySet<string>;
}

/**
 * Lets a model call what it is offered by the names that it was taught elsewhere. A name counts only where what it stands
 * for was added to this request, and where neither the client nor a skill has a tool of that name.
 */
export function withAliases(hosted: HostedConversation, { aliases, added, theirs }: AliasOptions): HostedConversation {
  const isFree = (name: string): boolean => !theirs.has(name) && !hosted.isOurs(name);
  const meant = new Map([...aliases].filter(([alias, name]) => added.includes(name) && isFree(alias)));
  if (meant.size === 0) return hosted;
  return {
    ...hosted,
    isOurs: (tool) => meant.has(tool) || hosted.isOurs(tool),
    execute: (request, options) =>
      hosted.execute({ ...request, name: meant.get(request.name) ?? request.name }, options),
  };
}
