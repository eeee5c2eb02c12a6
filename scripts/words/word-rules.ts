import type { PassageKind } from './passage.ts';

/** A phrase that is hard to read, and what to write instead. */
export interface WordRule {
  /** The name that `words-allow` uses. */
  readonly id: string;
  /** A blank in the pattern matches any white space, including the end of a line. */
  readonly pattern: RegExp;
  /** Default: everywhere. */
  readonly kinds?: readonly PassageKind[];
  /** Why it is hard to read, and what to write instead. */
  readonly advice: string;
  readonly before: string;
  readonly after: string;
}

/** Texts that are whole sentences. */
const SENTENCES: readonly PassageKind[] = ['prose', 'comment', 'message'];

export const wordRules: readonly WordRule[] = [
  {
    id: 'is-no',
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were|be) no (?!(?:longer|more|fewer|less|better|worse|different|way)\b)[a-z]/i,
    advice: '"Is no file" is not how people speak. Write "is not a file", or begin with "there is no".',
    before: 'The body is no JSON.',
    after: 'The body is not JSON.',
  },
  {
    id: 'is-none',
    pattern: /(?<!\b(?:[Tt]here|[Hh]ere) )\b(?:[Ii]s|[Aa]re|was|were|be) none\b(?! of (?:the|these|those|them)\b)/,
    advice: 'The reader has to look for the noun that "none" stands for. Name it: "is not a …".',
    before: 'Throws for a key that is none.',
    after: 'Throws for an invalid key.',
  },
  {
    id: 'what-is-is',
    pattern:
      /(?<=^|[.;:,(]\s|\band |\bbut |\bor )what (?:is|was|are) (?:(?!(?:that|which|what|who|where|if|when|unless|while)\b)[a-z'-]+ ){1,5}(?:is|are|was|has|goes|stays|comes|does|gets)\b/i,
    advice:
      'A clause with "what" as the subject is a riddle. Name the thing, or who acts: "The gateway retries the request".',
    before: 'What is left is looked for by id.',
    after: 'The gateway finds the remaining processes by their id.',
  },
  {
    id: 'what-subject',
    pattern: /(?<=[.;:]\s)What (?!(?:to|if|about|else)\b)[^?]*?(?:[.;:]\s|[.;:]$|$)/,
    kinds: SENTENCES,
    advice: 'A sentence that begins with "What" hides its subject. Name the thing: "Invalid entries are skipped".',
    before: 'Reads a list. What has none in that place is quoted as it is.',
    after: 'Reads a list. Entries without a position are quoted unchanged.',
  },
  {
    id: 'what-title',
    pattern: /^(?:what|whose|whom|of|nor|and|that) /,
    kinds: ['title'],
    advice:
      'A test title that begins so is half a sentence. Write what the code does: "rejects …", "keeps …", "the gateway answers …".',
    before: 'what is unusual is left to the framework',
    after: 'leaves unusual settings to the framework',
  },
  {
    id: 'of-fragment',
    pattern: /(?<=^|[.;:]\s)Of (?!course\b)[a-z]/,
    advice: 'A sentence that begins with "Of" keeps the reader waiting for its subject. Begin with the subject.',
    before: 'Of a list of whatever a provider sends, what is a result.',
    after: "Picks the valid results out of a provider's response.",
  },
  {
    id: 'of-those',
    pattern: /\bof those (?:that|which|who|of)\b/i,
    advice: '"Of those that" makes the reader look back for the noun. Repeat the noun.',
    before: 'The name most like one, of those that the key sees.',
    after: 'The most similar name among the skills that the key sees.',
  },
  {
    id: 'where-when',
    pattern:
      /(?<=^|[.;:]\s)Where (?!to\b)[^.?;:]{3,80}, (?:it|they|he|there|the|an?|all|both|nothing|nobody|none|no|each|every|these|those|this|that|its|their|you|we) /,
    kinds: SENTENCES,
    advice: '"Where" is for places. Write "if", "when" or "unless".',
    before: 'Where nobody can be asked, it is an error.',
    after: 'It is an error if nobody can be asked.',
  },
  {
    id: 'whoever',
    pattern: /\bwho(?:so)?ever\b/i,
    advice: 'Name the actor: the caller, the client, the operator, the user.',
    before: 'Whoever holds one of our keys is that key.',
    after: 'A gateway key identifies the caller.',
  },
  {
    id: 'stranded-passive',
    pattern:
      /\b(?:is|are|was|were|be|been|being) (?:(?:not|never|still|only|also|then|again|first|once) )?(?:asked for|looked (?:for|at|into)|waited for|come to|cared for|talked to|held against)\b(?! (?:a|an|the|its|their|his|your|it|them)\b)/i,
    advice:
      'A passive that ends in a preposition names nobody. Say who does it, with a verb of its own: "the client waits for …", "finds", "checks", "requests".',
    before: 'What failed is asked for again.',
    after: 'The gateway retries the request.',
  },
  {
    id: 'gone-to',
    pattern: /\b(?:is|are|be|been|being) gone to\b/i,
    advice: 'Nobody goes to a URL. Write "requested", "followed" or "supported".',
    before: 'Only http and https URLs are gone to.',
    after: 'Only http and https URLs are supported.',
  },
  {
    id: 'own-word',
    pattern: /\bby (?:its|his|her|their|your) own words?\b/i,
    advice: 'It is a literal translation. Say what declares it: a header, a field, a name.',
    before: 'The body is JSON by its own word.',
    after: 'Content-Type says that the body is JSON.',
  },
  {
    id: 'use-for',
    pattern: /\b(?:has|have|had) no use for\b/i,
    advice: 'Programs want nothing. Say what is wrong with the input.',
    before: "'skillwright skills' has no use for 'x'.",
    after: "Unexpected argument 'x'.",
  },
  {
    id: 'cannot-verb',
    pattern: /\b(?:can|cannot) (?:['"‘“]|value\b)|\bcannot be(?=[.,;:)]|$)/i,
    advice: 'The verb is missing. Say what is unknown or invalid.',
    before: "'skillwright skills' cannot 'foo'.",
    after: "Unknown action 'foo'.",
  },
  {
    id: 'doubled-word',
    pattern: /(?<![\w-])(?!(?:that|had|code|value|very|no|blah|bye|ha|many|much)\b)([a-z]{2,}) \1\b(?!['’-])/,
    advice: 'The same word twice reads like a mistake, even when it is right. Delete one, or turn the sentence round.',
    before: 'A required call is not waited for for long.',
    after: 'Gives up after a few rounds when a call is required.',
  },
  {
    id: 'for-ever',
    pattern: /\bfor ever\b/i,
    advice: 'American English writes "forever". Better, name the limit that is missing: "without a timeout".',
    before: 'It waits for ever.',
    after: 'It waits forever.',
  },
  {
    id: 'metaphor',
    pattern:
      /\b(?:lanes?|gulps?|(?<!terminal )bells?|(?<!(?:help|service) )desks?|surroundings|(?<!in )flights|witness(?:es)?|wishes|(?<=\b(?:a|an|the|its|his|their|no|one|another|such|model's|earlier) )wish)\b/i,
    advice:
      'The thing has a name of its own. Write queue, chunk, notification, prompt, environment, requests in flight, evidence, request.',
    before: 'A stream is read in gulps.',
    after: 'Reads a stream in chunks.',
  },
  {
    id: 'but-for',
    pattern: /\bbut for\b(?! (?:example|instance|now|each|every|this|that reason)\b)/i,
    advice: 'Many readers read "but for" as a contrast. Write "except".',
    before: 'Everything is kept, but for the last line.',
    after: 'Keeps everything except the last line.',
  },
  {
    id: 'for-want-of',
    pattern: /\bfor want of\b/i,
    advice: 'Say what is missing: "because no … is available", "without …".',
    before: 'The script cannot run, for want of a sandbox.',
    after: 'The script cannot run because no sandbox is available.',
  },
  {
    id: 'hears-of',
    pattern: /\b(?:hears?|heard) of\b/i,
    advice: 'Programs do not hear. Write "receives", "is notified of" or "learns".',
    before: 'No provider hears of a refused body.',
    after: 'The gateway does not forward a refused body.',
  },
  {
    id: 'what-there-is',
    pattern: /\b(?:what there (?:is|was|are|were)|those (?:that )?there (?:is|are|was|were))\b/i,
    advice: '"What there is" names nothing. Name the things: "the available models", "the existing file".',
    before: 'An unknown model is answered with those there are.',
    after: 'An unknown model is answered with the available models.',
  },
  {
    id: 'comes-to-the-same',
    pattern: /\bcom(?:es?|ing) to the same\b/i,
    advice: 'Say what happens, or does not.',
    before: 'Calling it again would come to the same.',
    after: 'A retry cannot succeed.',
  },
  {
    id: 'as-many-as-may',
    pattern: /\bas (?:many|much|large|long) (?:[a-z]+ )?as (?:it|they|he|one|value|somebody|anybody) (?:may|might)\b/i,
    advice: 'That is a limit. Write "at its limit of …", "at most …".',
    before: 'N requests are under way, which is as many requests as it may have.',
    after: 'This key is at its limit of N concurrent requests.',
  },
];
