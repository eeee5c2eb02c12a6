/** Milliseconds since 1970. Tests pass one of their own. */
export type Clock = () => number;
