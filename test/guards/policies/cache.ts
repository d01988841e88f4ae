/** Who never gets whose cached answer, and which calls and answers the cache never takes. */
import type { Row } from "#test/guards/guard.ts";

export const cache: Row[] = [
  {
    id: "cache-1",
    test: "shared/calls/cache/isolation › of two end users has an answer for each, in %s",
    guard: 'user ?? "", organization.cache_epoch',
    without: "organization.cache_epoch",
  },
  {
    id: "cache-2",
    test: "shared/calls/cache/isolation › of two keys, two projects, two organizations and two epochs has an answer for each",
    guard: "[organization.id, key.project, key.id, ",
    without: "[",
  },
  {
    id: "cache-3",
    test: "shared/calls/cache/isolation › of two keys, two projects, two organizations and two epochs has an answer for each",
    guard: ", organization.cache_epoch ?? 0]",
    without: "]",
  },
  {
    id: "cache-4",
    test: "shared/calls/cache/isolation › temperature",
    guard: "if (!asks) hash.update(withoutAttribution(body.bytes.subarray(value_start, value_end)));",
    without: 'if (!asks) hash.update("");',
  },
  {
    id: "cache-5",
    test: "shared/calls/cache/isolation › system prompt",
    guard: 'hash.update(body.bytes.subarray(value_start, place.start)).update("\\n");',
    without: 'hash.update("\\n");',
  },
  {
    id: "cache-6",
    test: "shared/calls/cache/isolation › after its model is sent elsewhere is asked anew",
    guard: "[channel.provider, channel.model]);",
    without: "[]);",
  },
  {
    id: "cache-7",
    test: "shared/calls/cache/isolation › with another beta header, or made to fit, is asked anew",
    guard: "return [Object.entries(protocol.forwardHeaders?.(headers) ?? {}).sort(), own.sort()];",
    without: "return [];",
  },
  {
    id: "cache-8",
    test: "shared/calls/cache/isolation › whose head has %s does not open",
    guard: "return JSON.stringify([scope, name, origin, at, until]);",
    without: "return JSON.stringify([scope, name, origin, at]);",
  },
  {
    id: "cache-9",
    test: "shared/calls/cache/isolation › another form of a first question is canonical; of a later one, a personal one or a wished exact one it is not",
    guard: " && !isLiteral(text);",
    without: ";",
  },
  {
    id: "cache-10",
    test: "shared/calls/cache/eligible › %s with %s: asked anew",
    guard: 'if (call.choices > 1) return "choices";',
    without: "",
  },
  {
    id: "cache-11",
    test: "shared/calls/cache/eligible › %s with %s: asked anew",
    guard: "(storesUnlessTold && body.store !== false)",
    without: "false",
  },
  {
    id: "cache-12",
    test: "shared/calls/cache/eligible › %s with %s: asked anew",
    guard: "if (!known.has(spelled(name)) && !saysNothing(fields[name])) return reasonFor(name);",
    without: "",
  },
  {
    id: "cache-13",
    test: "shared/calls/cache/storable › an answer %s is not kept (%s)",
    guard: 'if (stop_reason !== "stop" || refusal !== undefined) return undefined;',
    without: "",
  },
  {
    id: "cache-14",
    test: "shared/calls/cache/storable › an answer with a member that nobody knows is not",
    guard: "objects.every((object) => isKnown(object, known[name]))",
    without: "objects.length > 0",
  },
  {
    id: "cache-15",
    test: "shared/calls/cache/entry › an entry %s",
    guard: "return until > now && ",
    without: "return ",
  },
  {
    id: "cache-16",
    test: "shared/calls/gateway/cached › is bounded by max-age, for those who ask and for those who fill",
    guard: " && now - at <= max_age * 1000;",
    without: ";",
  },
  {
    id: "cache-17",
    test: "shared/calls/cache/isolation › %s with %s: another form of the question is asked anew",
    guard: 'wish !== "exact" && isAlone(body.outline, family) && ',
    without: 'wish !== "exact" && ',
  },
  {
    id: "cache-18",
    test: "shared/calls/cache/canonical › %s and %s",
    guard: "return ![asks, asksInChinese, wishes].some((pattern) => pattern.test(bare));",
    without: "return false;",
  },
  {
    id: "cache-19",
    test: "shared/books/ledger/end-call › out of the cache tells the hit, and is billed without one that is not sound",
    guard: "...(isHit(cache) && { cache })",
    without: "...(cache && { cache })",
  },
  {
    id: "cache-20",
    test: "shared/calls/gateway/cached › a hit whose usage has no price is a miss: the call is admitted, and ends as any other",
    guard: "const told = hit && hitOf(hit, admitted, deps);",
    without:
      "const told = hit && ({ ...hit, saved_points: formatPoints(charge(hit.usage, admitted.price).points) });",
  },
  {
    id: "cache-21",
    test: "shared/calls/cache/keys › under another pepper everything is another, and the same again under the first",
    guard: "if (known?.pepper !== pepper)",
    without: "if (!known)",
  },
  {
    id: "cache-22",
    test: "shared/edges/store/dynamodb/joined-reads › what is asked in one moment is one request, and each gets the item of its own key",
    guard: "const item = found.items.get(place);",
    without: "const [item] = found.items.values();",
  },
  {
    id: "cache-23",
    test: "shared/edges/store/dynamodb/joined-reads › what DynamoDB leaves out is rejected, and nothing else is",
    guard: "if (found.unread.has(place)) reject(",
    without: "if (place === null) reject(",
  },
];
