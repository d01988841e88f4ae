/** The gateway's headers in words, for the document and `calls/gateway/header-tables.md`. Links are from the root. */
import { headerValues, isChosen, keyDefaultRows, keyDefaults } from "../../books/accounts/key-defaults.ts";
import { countHeaderNames } from "../../calls/protocols/bedrock-invoke/count-names.ts";

interface ToldHeader {
  names: readonly string[];
  /** Of a request: its values. Of an answer: where it stands. */
  place: string;
  what: string;
}

const key = "shared/base/http/README.md#defaults-of-keys";

/** The values of the headers that a key may have a default for, by the names of these headers. */
const valuesOf = Object.fromEntries(
  keyDefaultRows.map(([, row]) => [
    row.header,
    (isChosen(row) ? headerValues(row) : [row.example]).map((value) => `\`${value}\``).join(", "),
  ]),
);

/** A header that a key may have a default for. */
const withDefault = (name: string, what: string): ToldHeader => ({
  names: [name],
  place: valuesOf[name] ?? "",
  what: `${what}; without it, what the [key](${key}) says`,
});

export const requestHeaders: readonly ToldHeader[] = [
  {
    names: ["authorization", "x-api-key", "x-goog-api-key"],
    place: "the key",
    what: "who calls; the last one on Gemini's paths alone",
  },
  {
    names: ["idempotency-key"],
    place: "1 to 255 visible ASCII characters",
    what: "the same call within a day runs once, and is billed once",
  },
  { names: ["x-gateway-usage"], place: "`cost`", what: "the cost stands beside the counters of the answer" },
  withDefault(
    "x-gateway-allow-drop",
    "tools that the model's provider cannot run are left out, where they would be refused",
  ),
  {
    names: ["x-gateway-route"],
    place: "`sort=latency; ignore=acme`",
    what: "what the caller wishes of the [order of channels](shared/calls/routing/README.md#headers)",
  },
  {
    names: ["x-gateway-fallback"],
    place: "`model-b, model-c`, `none`",
    what: "up to four models that are asked if this one cannot answer ([fallback](shared/calls/gateway/fallback.md)); without it, those of a [policy](shared/books/accounts/policies.md#fallbacks)",
  },
  { names: ["x-gateway-explain"], place: "`1`", what: "the answer says what its channels were ordered by" },
  {
    names: ["x-gateway-adapt"],
    place: "`1`",
    what: "a request in the provider's own protocol is made to fit its model ([crossings](shared/calls/protocols/crossings.md))",
  },
  withDefault(
    "x-gateway-cache-points",
    "where a Claude model keeps the conversation for its next turn, for clients of other protocols ([cache points](shared/calls/protocols/crossings.md#cache-points))",
  ),
  withDefault(
    "x-gateway-on-disconnect",
    "what becomes of a stream whose client hangs up ([a client that hangs up](shared/calls/gateway/README.md#a-client-that-hangs-up)); it does nothing behind a function URL, which does not notice it",
  ),
  {
    names: [keyDefaults.tags.header],
    place: valuesOf[keyDefaults.tags.header] ?? "",
    what: `up to eight [tags](shared/calls/gateway/headers.md#tags), by which reports split and exports name the call; those of the [key](${key}) are added`,
  },
  {
    names: ["x-gateway-cache"],
    place: "`off`, `exact`, `semantic`",
    what: "which answers out of the [cache](shared/calls/cache/README.md#wishes) will do; without it, what the key says",
  },
  {
    names: ["cache-control"],
    place: "`no-store`, `no-cache`, `max-age=N`",
    what: "no cache at all; an answer that is asked for anew and kept; none older than N seconds",
  },
  {
    names: ["traceparent", "tracestate"],
    place: "those of the W3C",
    what: "the trace that the call belongs to, if the gateway is [told to trace](shared/calls/telemetry/README.md#the-trace-context); else they are not read",
  },
];

export const answeredHeaders: readonly ToldHeader[] = [
  {
    names: ["x-request-id"],
    place: "every answer",
    what: "our id of the request: the key of its ledger entry, and the path of its receipt",
  },
  { names: ["request-id"], place: "messages paths", what: "the same id, where Anthropic's SDKs look for it" },
  {
    names: ["x-client-request-id"],
    place: "paths below `/api/v3`",
    what: "the same id, where Ark's SDK looks for it",
  },
  {
    names: ["x-amzn-requestid"],
    place: "paths below `/model`",
    what: "the same id, where AWS's SDKs look for it",
  },
  {
    names: ["x-amzn-errortype"],
    place: "errors below `/model`",
    what: "the [name](shared/calls/protocols/bedrock-clients.md#errors) by which AWS's SDKs choose what they throw",
  },
  {
    names: countHeaderNames,
    place: "whole answers of `/model/{model}/invoke`",
    what: "the counters of the answer, which never overlap, where programs for Bedrock look for them",
  },
  {
    names: ["x-gateway-provider"],
    place: "a provider was asked",
    what: "the provider that answered, or was asked last",
  },
  { names: ["x-gateway-attempts"], place: "inference", what: "how many times a provider was asked" },
  {
    names: ["x-gateway-route"],
    place: "inference",
    what: "which channel was asked, and why ([routing](shared/calls/routing/README.md#headers))",
  },
  {
    names: ["x-gateway-model"],
    place: "calls that name fallbacks",
    what: "the model that answered, or was asked last; of a repetition, where it was a fallback",
  },
  {
    names: ["x-gateway-explanation"],
    place: "where asked for",
    what: "JSON of at most 1 KB with what each channel was ordered by",
  },
  {
    names: ["x-gateway-cost-points"],
    place: "whole answers, failed calls, hits of the cache",
    what: "what was charged; a stream's headers leave before that is known",
  },
  {
    names: ["x-gateway-dropped"],
    place: "something was left out",
    what: "names of what the provider was not sent, at most twenty",
  },
  {
    names: ["x-gateway-max-tokens"],
    place: "a chat that named no maximum, where a policy has one",
    what: "the most output tokens that the [policy](shared/books/accounts/policies.md#output-tokens) gave it",
  },
  {
    names: ["x-gateway-estimate"],
    place: "counts of tokens",
    what: "`true`: no provider counted, the number is an estimate",
  },
  {
    names: ["x-gateway-cache"],
    place: "chats of a plan with a [cache](shared/calls/cache/README.md)",
    what: "`hit; level=exact; age=412; entry=req_…`, of a semantic one also `verified=judge`; `miss`; `bypass; reason=tools`",
  },
  { names: ["age"], place: "an answer out of the cache", what: "seconds since a provider gave it" },
  {
    names: ["x-gateway-replayed"],
    place: "a repetition",
    what: "the id of the first call, whose answer this is",
  },
  {
    names: ["retry-after"],
    place: "429, 402 while calls are in flight, and 500 while the providers limit us",
    what: "seconds to wait",
  },
  {
    names: ["x-should-retry"],
    place: "errors that clients would repeat in vain, such as a wrong key or a quota used up",
    what: "`false`: the SDKs do not try again",
  },
  { names: ["www-authenticate"], place: "401", what: "how to authenticate" },
  { names: ["allow"], place: "405", what: "the methods of the path" },
];
