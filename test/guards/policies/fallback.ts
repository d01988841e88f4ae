/** What is held, charged and told of calls that name other models, and when another model is asked. */
import type { Row } from "#test/guards/guard.ts";

export const fallback: Row[] = [
  {
    id: "fallback-1",
    test: "shared/calls/gateway/fallback-holds › is the dearest model's, whichever is named first",
    guard: "largest(quotes.map(mostPoints))",
    without: "mostPoints(quote)",
  },
  {
    id: "fallback-2",
    test: "shared/calls/gateway/fallback-holds › reserves a subscription's tokens for the largest answer, and a budget's points for the dearest",
    guard: "Math.max(...quotes.map(({ tokens_reserved }) => tokens_reserved))",
    without: "quote.tokens_reserved",
  },
  {
    id: "fallback-3",
    test: "shared/calls/gateway/fallback-holds › that is refused names a call that would fit with every model",
    guard: "[decoded, ...(decoded.fallbacks ?? [])].every(",
    without: "[decoded].every(",
  },
  {
    id: "fallback-4",
    test: "shared/calls/gateway/fallback-holds › covers several steps of a strict model that is cheaper than another one",
    guard: "return steps ? { ...call, steps: stepWithin(bounds, price, ticket.hold.points) } : call;",
    without: "return call;",
  },
  {
    id: "fallback-5",
    test: "shared/calls/gateway/fallback-holds › and the intent say which model is asked, before it is",
    guard: "(ticket.hold.attempt ?? 1) + place",
    without: "ticket.hold.attempt",
  },
  {
    id: "fallback-6",
    test: "shared/calls/gateway/fallback-holds › where the intent cannot be written, the fallback is not asked",
    guard: "await deps.meters.intend(intentOf(ticket.hold, call, call), (ticket.hold.attempt ?? 1) + place);",
    without: "deps.meters.intend(intentOf(ticket.hold, call, call), 2).catch(() => {});",
  },
  {
    id: "fallback-7",
    test: "shared/calls/gateway/fallback › are not asked where the provider blames the request",
    guard: "signal.aborted || (place === 0 && isBlamed(error.asked))",
    without: "signal.aborted",
  },
  {
    id: "fallback-8",
    test: "shared/calls/gateway/fallback › the time of a call is that of all its models together",
    guard: "signal.aborted || (place === 0 && isBlamed(error.asked))",
    without: "place === 0 && isBlamed(error.asked)",
  },
  {
    id: "fallback-9",
    test: "shared/calls/gateway/fallback › a stream waits a minute for the last channel of a model that is not the last",
    guard: "const hasNext = hasChannel || fallbacks.length > 0;",
    without: "const hasNext = hasChannel;",
  },
  {
    id: "fallback-10",
    test: "shared/calls/gateway/fallback › keeps no answer of a fallback, and answers calls that name one",
    guard: "if (event.requested_model === undefined) usage = event.usage;",
    without: "usage = event.usage;",
  },
  {
    id: "fallback-11",
    test: "shared/calls/gateway/fallback › stands for the fallbacks too, and a repetition says who answered",
    guard: "...(fallbacks === undefined ? [] : [fallbacks])",
    without: "",
  },
  {
    id: "fallback-12",
    test: "shared/calls/gateway/fallback › are told with their last attempts where there are very many",
    guard: "attempts: attempts.slice(-limits.routeAttemptsMax)",
    without: "attempts",
  },
  {
    id: "fallback-13",
    test: "shared/calls/gateway/fallback-header › a model that the key's plan does not have",
    guard: "const model = callableModel(name, protocol.capability, caller, deps);",
    in: "calls/gateway/fallback.ts",
    without: "const model = deps.catalog.find(name) as Model;",
  },
  {
    id: "fallback-14",
    test: "shared/calls/gateway/fallback-header › a setting that the fallback has no price for",
    guard: "return withPricedSwitches(call, deps);",
    without: "return call;",
  },
  {
    id: "fallback-15",
    test: "shared/calls/tasks/http › that names a fallback is refused before anything is held",
    guard: "refuseFallbacks(request);",
    without: "",
  },
];
