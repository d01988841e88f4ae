/** What the catalog says that models take. */
import type { Row } from "#test/guards/guard.ts";

export const traits: Row[] = [
  {
    id: "traits-1",
    test: "shared/books/catalog/traits › %j with %j are refused",
    guard: "...traitProblems(catalog),",
    without: "",
  },
  {
    id: "traits-2",
    test: "shared/books/catalog/traits › of a provider are held to the same, and to the capabilities of its models",
    guard: "traitsAt(entry, providers[channel.provider] ?? {}, channel)",
    without: "traitsAt(entry, {}, channel)",
  },
  {
    id: "traits-3",
    test: "shared/books/catalog/traits › come from the model, and from its provider where the model is silent",
    guard: "{ ...provider.traits, ...model.traits, ...channel.traits }",
    without: "{ ...model.traits, ...provider.traits, ...channel.traits }",
  },
  {
    id: "traits-9",
    test: "shared/calls/gateway/second-hosts › the first host is sent the body as it came, the second one what it takes",
    guard: "(call.adapts || target.fits)",
    without: "call.adapts",
  },
  {
    id: "traits-10",
    test: "shared/calls/gateway/second-hosts › a call whose tools its provider runs is not sent to a host that runs none",
    guard: "!(size.provider_tools && runsNone(candidate))",
    without: "true",
  },
  {
    id: "traits-11",
    test: "shared/calls/gateway/second-hosts › a host whose key is missing is no choice: nobody looks at the board, and nothing is told of it",
    guard: "!lacksAny(channel, secrets)).length > 1",
    without: "true).length > 1",
  },
  {
    id: "traits-4",
    test: "shared/books/catalog/rules › is compiled to what a bundle carries, or the file is named",
    guard: "const { source, as_of, ...traits } = owner.traits;",
    without: "const { ...traits } = owner.traits;",
  },
  {
    id: "traits-5",
    test: "shared/books/catalog/traits › that are older than a year are told by the operator's command",
    guard: "days <= limits.traitsAgeDaysMax",
    without: "days <= limits.traitsAgeDaysMax + 1",
  },
  {
    id: "traits-6",
    test: "house/strictness › refuse a model with a real name, whoever plays it, and take all others",
    in: "support/vendors.ts",
    guard: "refusalAt(path, body, request.headers)",
    without: "refusalAt(path, {}, request.headers)",
  },
  {
    id: "traits-7",
    test: "house/strictness › refuse a model with a real name, whoever plays it, and take all others",
    guard: "const refusal = isStrict ? refusalOfBytes(path, body, headers) : undefined;",
    without: "const refusal = isStrict ? undefined : refusalOfBytes(path, body, headers);",
  },
  {
    id: "traits-8",
    test: "house/strictness › signatures are known by who issued them, in either alphabet of base64",
    guard: "name === signer && seal === sealed",
    without: "name === signer || seal === sealed",
  },
  {
    id: "traits-12",
    test: "infra/local/demo/strict › strict: %s answers a user that is too long with %i",
    guard: "const refusal = strict && body ? refusalAt(target, body, headers) : undefined;",
    without: "const refusal = strict && !body ? refusalAt(target, {}, headers) : undefined;",
  },
];
