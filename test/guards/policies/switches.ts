/** What a request switches on, and what that costs. */
import type { Row } from "#test/guards/guard.ts";

export const switches: Row[] = [
  {
    id: "switches-1",
    test: "shared/calls/gateway/switches › without a rate is refused by name: %s",
    guard: "if (!unpriced) return;",
    without: "return;",
  },
  {
    id: "switches-2",
    test: "shared/calls/gateway/switches › that a crossing leaves behind is none",
    guard: ".filter(({ crosses }) => passes || crosses)",
    without: "",
  },
  {
    id: "switches-3",
    test: "shared/calls/gateway/switches › given twice is refused: what is priced must be what is sent",
    in: "openai-chat/fields.ts",
    guard: "service_tier: { check: optionalString, acts: true },",
    without: "service_tier: { check: optionalString },",
  },
  {
    id: "switches-4",
    test: "shared/calls/gateway/switches › covers as many calls of a tool as the request lets it have",
    guard: "switches: call.switches ?? [],",
    without: "switches: [],",
  },
  {
    id: "switches-5",
    test: "shared/calls/gateway/switches › of a call whose provider chooses the tier covers the dearest",
    guard: 'asked.includes(name) || asked.includes("auto")',
    without: "asked.includes(name)",
  },
  {
    id: "switches-6",
    test: "shared/calls/gateway/switches › carries no rates in its intent",
    guard: "price: withRatesOf(price),",
    without: "price,",
  },
  {
    id: "switches-7",
    test: "shared/calls/gateway/switch-usage › what a model has no rate for is charged at its price, and rung",
    guard: '...(unpriced.length > 0 ? ["unpriced_switch"] : []),',
    without: "",
  },
  {
    id: "switches-8",
    test: "shared/calls/gateway/switch-ways › is the one that was asked where the provider names none",
    guard: "...waysAsked(call.switches, exchange.request.dropped, admitted.protocol, protocol),",
    without: "",
  },
  {
    id: "switches-9",
    test: "shared/calls/gateway/switch-ways › is the one that the provider names, whatever was asked",
    guard: "ways: { service_tier: chunk.service_tier },",
    without: "ways: {},",
  },
  {
    id: "switches-10",
    test: "shared/calls/gateway/switch-ways › a stream that breaks off is charged for the calls that were done, at the tier that was asked",
    guard: "laterDetails(details, { calls: callsOf(done) }),",
    without: "details,",
  },
  {
    id: "switches-11",
    test: "shared/books/billing/pricing/switch-prices › has no kind of tokens larger than its count, and bills none twice",
    guard: "rest[whole] -= count;",
    without: "",
  },
  {
    id: "switches-12",
    test: "shared/books/billing/pricing/switch-prices › is summed by its counts alone",
    guard: "...countsOf(event.usage),",
    without: "...event.usage,",
  },
  {
    id: "switches-13",
    test: "shared/books/billing/pricing/switch-laws › the lines add up to the charge, each computed by hand, and count every token once",
    guard: "line.quantity -= quantity;",
    without: "",
  },
  {
    id: "switches-14",
    test: "shared/books/billing/pricing/switch-laws › a hold covers every usage that its switches let come",
    guard: "...counts, ...named",
    without: "...counts",
  },
  {
    id: "switches-15",
    test: "shared/books/billing/pricing/switch-laws › refuses %s",
    guard: "if (product % scale !== 0n)",
    without: "if (product < 0n)",
  },
  {
    id: "switches-16",
    test: "shared/books/billing/pricing/switch-laws › is read with its details, which must be counts",
    guard: "checkDetails(name, usage.details ?? {});",
    without: "",
  },
  {
    id: "switches-17",
    test: "shared/calls/tasks/switches › at another tier is held at the dearest and charged for %s",
    guard: "const details = { ...tierAsked(task), ...made.details };",
    without: "const details = made.details ?? {};",
  },
  {
    id: "switches-18",
    test: "shared/calls/gateway/switch-across › %s of %s by %s",
    guard: "const switches = [...asked, ...unaskedOf(decoded, across)];",
    without: "const switches = asked;",
  },
  {
    id: "switches-19",
    test: "shared/calls/gateway/switch-across › sound that crosses is refused without a rate",
    in: "openai-responses/switches.ts",
    guard: '"audio_input", { crosses: true })',
    without: '"audio_input")',
  },
  {
    id: "switches-20",
    test: "shared/edges/store/dynamodb/attributes › a provider's tool of any name keeps its count",
    guard: 'if (name === "__proto__")',
    without: "if (false)",
  },
  {
    id: "switches-21",
    test: "shared/calls/gateway/switches › without a rate is refused by name: %s",
    in: "openai-responses/given-tools.ts",
    guard: "...toolsOfItems(body, () => true)",
    without: "",
  },
];
