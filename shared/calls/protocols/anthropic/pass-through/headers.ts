/** The headers of a client that go with its Anthropic request. */

/** The version for a client that names none. It is the one that still takes sampling parameters. */
const defaultVersion = "2023-06-01";

/** The client's version and betas go with its body: they say how the body is to be read (protocols.md §0.2). */
export function forwardHeaders(headers: Record<string, string | undefined>): Record<string, string> {
  const beta = headers["anthropic-beta"];
  return {
    "anthropic-version": headers["anthropic-version"] ?? defaultVersion,
    ...(beta ? { "anthropic-beta": beta } : {}),
  };
}
