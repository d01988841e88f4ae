/** The tags of calls: what a header may say, and that every record and every report keeps them. */
import type { Row } from "#test/guards/guard.ts";

const rule = "shared/books/billing/tags";
const calls = "shared/calls/gateway/tags";
const videos = "shared/calls/tasks/tags";

export const tags: Row[] = [
  {
    id: "tags-1",
    test: `${rule} › %j breaks the rule`,
    guard: "const isWhole = parts.length <= tagsMax && tags.size === parts.length;",
    without: "const isWhole = parts.length <= tagsMax;",
  },
  {
    id: "tags-2",
    test: `${rule} › %j breaks the rule`,
    guard: "return isWhole && !tags.has(takenName) ? tags : undefined;",
    without: "return isWhole ? tags : undefined;",
  },
  {
    id: "tags-3",
    test: `${calls} › also where the key's tags and its own are more than eight`,
    guard: "return all.size > tagsMax ? undefined : textOf(all);",
    without: "return textOf(all);",
  },
  {
    id: "tags-4",
    test: `${calls} › are %s`,
    guard: 'pairsOf([...others.split(","), ...tags.split(",")])',
    without: 'pairsOf([...tags.split(","), ...others.split(",")])',
  },
  {
    id: "tags-5",
    test: `${calls} › stay where a fallback answers, and where the call fails`,
    guard: "    ...(tags !== undefined && { tags }),\n    ...(scope !== undefined && { scope }),",
    without: "    ...(scope !== undefined && { scope }),",
  },
  {
    id: "tags-6",
    test: `${calls} › an event with the tags %j is billed without them`,
    guard: "...(isTags(tags) && { tags }),",
    without: "...(tags !== undefined && { tags }),",
  },
  {
    id: "tags-7",
    test: `${videos} › with the header %s and the key's %s keeps %s`,
    guard:
      "return { ...call, ...(own_fee && { own_fee }), ...(tags !== undefined && { tags }), ...bookedAs(task) };",
    without: "return { ...call, ...(own_fee && { own_fee }), ...bookedAs(task) };",
  },
  {
    id: "tags-8",
    test: "shared/calls/gateway/cached › a hit takes one call and nothing else, as its client reads it (streamed: %s)",
    guard: '"x-gateway-fallback", "x-gateway-tags"]',
    without: '"x-gateway-fallback"]',
  },
  {
    id: "tags-9",
    test: "shared/edges/console/operations/usage-tags › is by a tag, of the member's own keys alone, and its file is named so that every system takes it",
    guard: 'query.by.replace(":", "-")',
    without: "query.by",
  },
  {
    id: "tags-10",
    test: "shared/edges/api/reports › splits by one dimension or by several, the dearest first and in order of time",
    guard: '  "user",\n  "tags",\n',
    in: "ledger/entries.ts",
    without: '  "user",\n',
  },
];
