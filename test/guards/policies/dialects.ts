/** What the vendors of OpenAI's chat form do otherwise, and what the gateway makes of it. */
import type { Row } from "#test/guards/guard.ts";

const file = "shared/calls/gateway/dialects";

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
  {
    id: "dialects-8",
    rule: "a vendor that refuses the switch for a usage does not get it",
    test: "shared/calls/gateway/dialect-requests › gets the client's bytes without it where it stands %s",
    guard: "upstream.passThrough(fitted.body, call, model, traits);",
    without: "upstream.passThrough(fitted.body, call, model);",
  },
  {
    id: "dialects-9",
    rule: "ids of calls have the form that their vendor wants",
    test: "shared/calls/gateway/dialect-requests › %s takes hard requests",
    guard: 'if (form.digest) return hash("sha256", name).slice(0, form.most);',
    without: "",
  },
  {
    id: "dialects-10",
    rule: "a turn that must have reasoning has some",
    test: "shared/calls/gateway/dialect-requests › %s takes hard requests",
    guard: '(isTaken ? textOf(turn) : "") || (isDue ? none : "");',
    without: '(isTaken ? textOf(turn) : "");',
  },
  {
    id: "dialects-11",
    rule: "turns stand in the order that their vendor takes",
    test: "shared/calls/gateway/dialect-requests › %s takes hard requests",
    guard: "spellTurns(draft, traits.turns);",
    without: "",
  },
  {
    id: "dialects-12",
    rule: "reasoning comes back where its vendor reads it",
    test: "shared/calls/gateway/dialect-requests › %s gets its own reasoning back",
    guard: "spellReplay(draft, traits);",
    without: "",
  },
  {
    id: "dialects-13",
    rule: "reasoning is asked for in the vendor's way",
    test: "shared/calls/gateway/dialect-requests › %s, without %s",
    guard: "spellAsking(draft, traits);",
    without: "",
  },
  {
    id: "dialects-14",
    rule: "a chat chooses no host of its model, which may be dearer than the model's price",
    test: "shared/calls/gateway/perplexity › %s in a chat, which a vendor of many models takes",
    in: "shared/calls/protocols/openai-chat/fields.ts",
    guard: "provider: notServed,",
    without: "",
  },
  {
    id: "dialects-15",
    rule: "no search is asked for that nobody counts",
    test: "shared/calls/gateway/perplexity › %s in a chat, which a vendor of many models takes",
    guard: "enable_search: servedOff,",
    without: "",
  },
];
