/** What a provider's answer may tell a client, and do to the process. */
import type { Row } from "#test/guards/guard.ts";

export const edge: Row[] = [
  {
    id: "edge-1",
    test: "shared/calls/upstreams/provider-refusals › is in no part of a %i, as code, type or sentence",
    guard: "safe(name, confidential)",
    without: "name",
  },
  {
    id: "edge-2",
    test: "shared/calls/upstreams/redaction › does not quote the key %s",
    guard: 'return [secret, bytes.toString("hex"), ...base64];',
    without: "return [secret];",
  },
  {
    id: "edge-3",
    test: "shared/calls/tasks/hostile › gives nobody our key, as a code or in an address",
    guard: "const code = safeCode(rendering.code, reached) ?? failedCode;",
    without: "const { code } = rendering;",
  },
  {
    id: "edge-4",
    test: "shared/base/platform/http-client-peers › %s",
    guard: "if (this.#isBeginning && isContinue(bytes)) bytes[11] = digitTwo;",
    without: "",
  },
  {
    id: "edge-5",
    test: "local/operations › creating with %j is %i",
    guard: "checkUnicode(value, name);",
    without: "",
  },
  {
    id: "edge-6",
    test: "shared/calls/tasks/hostile › takes nothing for an address that the store could not keep",
    guard: "url.isWellFormed()",
    without: "true",
  },
  {
    id: "edge-7",
    test: "shared/calls/gateway/reachable › is a bad request that names the routes that can",
    guard: "throw refusal ?? unreachable(decoded, deps);",
    without: "if (refusal) throw refusal; return { ...decoded, exchanges };",
  },
  {
    id: "edge-8",
    test: "shared/calls/gateway/reachable › to %j is refused before admission",
    guard: "throw refusal ?? unreachable(decoded, deps);",
    without: "if (!refusal) throw unreachable(decoded, deps); return { ...decoded, exchanges };",
  },
  {
    id: "edge-9",
    test: "shared/edges/store/ledger/ledger › an event with half of a surrogate pair is booked like any other",
    guard: "value.toWellFormed()",
    without: "value",
  },
  {
    id: "edge-10",
    test: "shared/base/platform/aws › %s is tried again, and leaves the outcome unknown although the next attempt succeeds",
    in: "aws-clients.ts",
    guard: "if (delivery && leavesOutcomeUnknown(error)) delivery.outcomeUnknown = true;",
    without: "",
  },
  {
    id: "edge-11",
    test: "shared/base/platform/aws › %s is waited out, and leaves no outcome unknown",
    guard: "if (nameOf(error) === conflict) Object.assign(error as object, { $retryable: {} });",
    without: "",
  },
  {
    id: "edge-12",
    test: "shared/base/platform/aws-clients › clients reach an emulator whatever kind of endpoint the environment asks for",
    guard: "useFipsEndpoint: false, ",
    without: "",
  },
  {
    id: "edge-13",
    test: "shared/base/platform/http-client › a body that nobody reads stops its sender, and comes whole when it is read",
    guard: "if (call?.paused) return null;",
    without: "",
  },
  {
    id: "edge-14",
    test: "shared/base/platform/http-client › an unread body whose connection %s does not end the process",
    guard: "this.#body?.push(piece);\n    return true;",
    without: "this.#body?.push(piece);\n    return !this.paused;",
  },
  {
    id: "edge-15",
    test: "shared/base/platform/http-client › an answer that has begun is never asked for again",
    guard: "this.#isReused && !this.#isHeard && ",
    without: "this.#isReused && ",
  },
];
