/** What counts as output, when an answer is free, and what of a provider's reports counts. */
import type { Row } from "#test/guards/guard.ts";

export const outputs: Row[] = [
  {
    id: "outputs-1",
    test: "shared/books/ledger/free › %s whole, ended by %s",
    guard: 'return isSilent && finish !== "reason";',
    without: "return isSilent;",
  },
  {
    id: "outputs-2",
    test: "shared/books/ledger/free › %s, put out: %s, output tokens: %i, finish: %s → free: %s",
    guard: 'if (kind !== "chat") return finish === "error";',
    without: "",
  },
  {
    id: "outputs-3",
    test: "shared/books/ledger/free › unless output tokens are reported",
    guard: "!produced && (usage?.output_tokens ?? 0) === 0",
    without: "!produced",
  },
  {
    id: "outputs-4",
    test: "shared/books/ledger/free › %s whole, with %s for an end",
    guard: "given.some((reason) => !failures.has(reason))",
    without: "given.length > 0",
  },
  {
    id: "outputs-5",
    test: "shared/calls/protocols/output › %s, output: %s, %j",
    guard: "type !== undefined && !carriers.has(type) ? true : !isEmpty(value)",
    without: "carriers.has(type) && !isEmpty(value)",
  },
  {
    id: "outputs-6",
    test: "shared/calls/protocols/output › that %s is billed",
    guard: "produced ||= isAnswer(event)",
    without: "produced ||= eventBytes(event) > 0",
  },
  {
    id: "outputs-7",
    test: "shared/calls/protocols/output › passes whole where its last frame repeats five of 4 MB each, and costs what it reports",
    guard: "frameBytesMax: 64 * 1024 * 1024",
    without: "frameBytesMax: 8 * 1024 * 1024",
  },
  {
    id: "outputs-8",
    test: "shared/calls/protocols/output › takes a large frame in time that grows with it, and not with its square",
    guard: "Math.max(length, Math.min(2 * room.length, bytesMax))",
    without: "length",
  },
  {
    id: "outputs-9",
    test: "shared/calls/gateway/later-usage › reported: %s",
    guard: "now.output_tokens < before.output_tokens ? before : now",
    without: "now",
  },
  {
    id: "outputs-10",
    test: "shared/calls/gateway/later-usage › reported: %s",
    guard: "inputOf(now) < inputOf(before) ? before : now",
    without: "now",
  },
  {
    id: "outputs-11",
    test: "shared/calls/gateway/usage-elsewhere › counted: %s",
    guard: "{ cached, stored }, completion + beside)",
    without: "{ cached, stored }, completion)",
  },
  {
    id: "outputs-12",
    test: "shared/calls/gateway/usage-elsewhere › a list that is repeated in a stream counts once, beside counts that run on",
    guard: "usage && sumUsage(usage, iterations)",
    without: "usage",
  },
];
