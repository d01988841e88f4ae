/** What the vendors of OpenAI's chat form do otherwise, and what the gateway makes of it. */
import type { Row } from "#test/guards/guard.ts";

const file = "shared/gateway/dialects";

export const dialects: Row[] = [
  {
    id: "dialects-1",
    rule: "a usage is found wherever a vendor puts it",
    test: `${file} › %s, report %i, passed through`,
    guard: "({ choices }) => objectsOf(choices).find(({ usage }) => isObject(usage))?.usage,",
    without: "",
  },
  {
    id: "dialects-2",
    rule: "a cache that is larger than its prompt is beside it",
    test: `${file} › %s, report %i, passed through`,
    guard: "cached > prompt && beside >= cached;",
    without: "false;",
  },
  {
    id: "dialects-3",
    rule: "cached input is found under every vendor's name",
    test: `${file} › %s, report %i, passed through`,
    guard: '"num_cached_tokens"]',
    without: "]",
  },
  {
    id: "dialects-4",
    rule: "a vendor's name of the standard tier is no other tier",
    test: `${file} › %s, report %i, passed through`,
    guard: '"standard", "standard_only", "on_demand"],',
    without: '"standard", "standard_only"],',
  },
  {
    id: "dialects-5",
    rule: "reasoning among the parts of the content crosses as reasoning",
    test: `${file} › %s: reasoning crosses as such`,
    guard: 'return thoughts.map(({ thinking }) => textOf(thinking)).join("");',
    without: 'return "";',
  },
  {
    id: "dialects-6",
    rule: "spent money is told from a limit by its words where a vendor has no code for it",
    test: `${file} › %s: our account`,
    guard: '[/^Your team \\S{1,80} has either used all available credits/, "money"],',
    without: "",
  },
  {
    id: "dialects-7",
    rule: "an agent reads its own vendor's code for a conversation that is too long",
    test: `${file} › %s: a conversation that is too long`,
    guard: "!same_fields && recognised && begins !== undefined && !isNameOf(recognised.meaning, own.code);",
    without: "false;",
  },
];
