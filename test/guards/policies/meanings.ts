/** What the semantic level of the cache refuses, trusts and keeps apart. */
import type { Row } from "#test/guards/guard.ts";

export const meanings: Row[] = [
  {
    id: "meanings-1",
    test: "shared/calls/cache/semantic/rules › of %s refuses %j for %j",
    guard: 'if (isLiteral(asked) || isLiteral(kept)) return "literal";',
    without: "",
  },
  {
    id: "meanings-2",
    test: "shared/calls/cache/semantic/rules › of %s refuses %j for %j",
    guard: 'if (!isEqual(one.signs, other.signs)) return "signs";',
    without: "",
  },
  {
    id: "meanings-3",
    test: "shared/calls/cache/semantic/rules › of %s refuses %j for %j",
    guard: 'haveOthers(mine.mild, yours.mild) ? "one_slot" : undefined;',
    without: "undefined;",
  },
  {
    id: "meanings-4",
    test: "shared/calls/cache/semantic/rules › of %s refuses %j for %j",
    guard: "if (!readable.test(plain)) return undefined;",
    without: "",
  },
  {
    id: "meanings-5",
    test: "cache/pairs › %s serves more than %d times of what canonical does, and no trap",
    guard: "for (const [name, isOne] of classes) if (differing.some(isOne)) return name;",
    without: "return undefined;",
  },
  {
    id: "meanings-6",
    test: "shared/calls/cache/semantic/changes › with a word less, or two words in each other's place",
    guard: 'if (differing.length === 0) return here.length + there.length > 0 ? "words" : "order";',
    without: "if (differing.length === 0) return undefined;",
  },
  {
    id: "meanings-7",
    test: "shared/calls/cache/semantic/evidence › a context with %d refuted is trusted from %d audits on",
    guard: "return all > 0 && atMost(wrong, all, bounds.wrongShareMax) <= 1 - bounds.trustConfidence;",
    without: "return all > 0 && wrong / all <= bounds.wrongShareMax;",
  },
  {
    id: "meanings-8",
    test: "shared/calls/cache/semantic/evidence › with %d refuted goes off for a day up to %d audits",
    guard: "return isRefuted(evidence) || isIdle(evidence) ?",
    without: "return isIdle(evidence) ?",
  },
  {
    id: "meanings-9",
    test: "shared/calls/cache/semantic/page › opens only at its own place, and with no bit changed",
    guard: 'return JSON.stringify(["page", scope, context, page]);',
    without: 'return JSON.stringify(["page", scope, page]);',
  },
  {
    id: "meanings-10",
    test: "shared/calls/cache/semantic/page › are those within reach that have not ended, the nearest first, eight at most",
    guard: ".filter(({ until }) => until > now)\n    .map((record)",
    without: ".map((record)",
  },
  {
    id: "meanings-11",
    test: "shared/calls/cache/semantic/judge › is asked with the same instructions whatever the texts are, and gets them as data alone",
    guard: 'parts: [{ type: "text", text: JSON.stringify(data) }]',
    without: 'parts: [{ type: "text", text: Object.values(data).join("\\n") }]',
  },
  {
    id: "meanings-12",
    test: "shared/calls/cache/semantic/judge › is none of %j",
    guard: 'return word === "same" || word === "different" ? word : undefined;',
    without: 'return word.includes("same") ? "same" : word === "different" ? word : undefined;',
  },
  {
    id: "meanings-13",
    test: "shared/books/catalog/rules › names the two models by which the cache compares meanings, or none",
    guard: "if (!model.capabilities.includes(capability)) return",
    without: "if (model.capabilities.length === 0) return",
  },
];
