/** What paths that are no routes say, and in whose form a shared path answers. */
import type { Row } from "#test/guards/guard.ts";

export const paths: Row[] = [
  {
    id: "paths-1",
    test: "sdk/not-offered › files",
    guard: "const message = notOffered(method, path, style, candidates.length > 0);",
    without: "const message = notOffered.name && undefined;",
  },
  {
    id: "paths-2",
    test: "sdk/models › all models, each with Anthropic's fields",
    guard: 'if (headers["anthropic-version"] !== undefined) return "anthropic";',
    without: "",
  },
  {
    id: "paths-3",
    test: "shared/base/http/router › %s %s is not told back",
    guard: "([\\w-]{1,40})",
    without: "([^/]+)",
  },
  {
    id: "paths-4",
    test: "shared/base/http/router › %s %s: %s",
    guard: "if (hit && !isDoubtful(hit.route, hit.parameter)) return",
    without: "if (hit && isDoubtful.name) return",
  },
  {
    id: "paths-5",
    test: "shared/base/http/router › %s is answered in the form of the client that asks",
    guard: "(client && family?.[2]?.[client]) ?? ",
    without: "",
  },
  {
    id: "paths-6",
    test: "sdk/models › page by page, in both directions",
    guard: "return { models: listed.slice(start, end), hasMore: start > 0 };",
    without: "return { models: listed.slice(0, limit), hasMore: start > 0 };",
  },
];
