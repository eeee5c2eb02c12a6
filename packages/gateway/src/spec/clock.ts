/** Milliseconds since 1970. Tests pass their own clock. */
export type Clock = () => number;
