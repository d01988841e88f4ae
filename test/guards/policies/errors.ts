/** What errors tell clients and operators. */
import type { Row } from "#test/guards/guard.ts";

export const errors: Row[] = [
  {
    id: "errors-1",
    test: "shared/calls/upstreams/refusal-codes › nothing confidential stands in any of the names",
    guard: "tells(param, told)",
    without: "false",
  },
  {
    id: "errors-2",
    test: "shared/calls/upstreams/refusal-codes › the log line of a refused request has the names, and never the provider's sentence",
    guard: "quotes && error.message !== undefined",
    without: "error.message !== undefined",
  },
  {
    id: "errors-3",
    in: "calls/gateway/failures.ts",
    test: "shared/calls/upstreams/account › %s rings once for each call, with the provider and the reason, and is not told to the client",
    guard: "if (account) deps.log(",
    without: "if (false) deps.log(",
  },
  {
    id: "errors-4",
    test: "shared/calls/upstreams/account › %s does not ring",
    guard: "if (blameRow(status, error)) return true;",
    without: "",
  },
  {
    id: "errors-5",
    test: "shared/calls/upstreams/wait › another channel answers, and is asked first for as long as the limited one rests",
    guard: 'isBelieved(state.limited_until, now) ? "limited" : undefined',
    without: 'false ? "limited" : undefined',
  },
  {
    id: "errors-6",
    test: "shared/calls/upstreams/wait › of several the shortest wait is told",
    guard: "Math.min(...known)",
    without: "Math.max(...known)",
  },
  {
    id: "errors-7",
    test: "shared/calls/access/shortfall › the maximum that is suggested fits, and one more does not",
    guard: "String(tokens).length - String(now).length",
    without: "0",
  },
  {
    id: "errors-8",
    test: "shared/calls/access/shortfall › of a budget that binds its own remainder, and nothing of the balance",
    guard: "if (lack.posted === undefined) {",
    without: "if (false) {",
  },
  {
    id: "errors-9",
    test: "shared/calls/access/shortfall-models › is none that Anthropic's thinking would use up",
    guard: "most <= leastOf(decoded)",
    without: "most === 0",
  },
  {
    id: "errors-10",
    test: "shared/calls/access/rate-headers › Google's clients read in the body when a limit or a quota has room again",
    guard: 'const at = error === "quota_exhausted" ? limitStatus.quota?.resetAt : undefined;',
    without: "const at = undefined as number | undefined; void [error, limitStatus];",
  },
  {
    id: "errors-11",
    test: "shared/calls/gateway/program-line › no line where no model is near, the program is another, or the name is not the request's",
    guard: "const program = programs.find(({ agent }) => userAgent.startsWith(agent));",
    without: "const [program] = programs; void userAgent;",
  },
  {
    id: "errors-12",
    test: "shared/books/catalog/nearest › of %j",
    guard: 'return near.length > 0 ? near.map(({ id }) => id) : familyOf(wanted.at(-1) ?? "", models);',
    without: "void familyOf; return near.map(({ id }) => id);",
  },
];
