import type { Protocol } from "./protocol.ts";

/** What a protocol without streams and without headers of its own has in their place. */
export const unstreamed: Pick<
  Protocol,
  "createReader" | "createStopper" | "outputBytes" | "errorFrame" | "forwardHeaders"
> = {
  createReader: refuse,
  createStopper: refuse,
  outputBytes: () => 0,
  errorFrame: () => Buffer.alloc(0),
  forwardHeaders: () => ({}),
};

function refuse(): never {
  throw new Error("this protocol has no streams");
}
