/** What a hold covers, what of a report is believed, and what a plan lets its keys use. */
import type { Row } from "#test/guards/guard.ts";

export const bounds: Row[] = [
  {
    id: "bounds-1",
    test: "shared/gateway/media-holds › with a wallet of %s points %i of five calls are let in",
    guard: "shared/chat/estimate.ts: size.files * room.file_tokens +",
    without: "size.files * limits.mediaTokens +",
  },
  {
    id: "bounds-2",
    test: "shared/chat/estimate › a file: %s",
    guard: 'shared/chat/measure.ts: else if (key === "file_id" && !mention.test(asText(within))) {',
    without: "else if (false) {",
  },
  {
    id: "bounds-3",
    test: "shared/chat/estimate › a file: %s",
    guard: 'shared/chat/measure.ts: return !bytes.includes(0) && !bytes.subarray(0, 1_024).includes("%PDF");',
    without: "return bytes.length >= 0;",
  },
  {
    id: "bounds-4",
    test: "shared/chat/estimate › a file: %s",
    guard:
      "shared/chat/measure.ts: const isAddress = payload === node.url && dataType(payload) === undefined;",
    without: "const isAddress = payload === undefined;",
  },
  {
    id: "bounds-5",
    test: "shared/chat/estimate › a file: %s",
    guard: 'shared/chat/measure.ts: return /^image\\//i.test(type) && place !== "file" ? "picture" : "file";',
    without: 'return /^image\\//i.test(type) ? "picture" : "file";',
  },
  {
    id: "bounds-6",
    test: "shared/chat/estimate › a page that Anthropic fetches",
    guard: "shared/chat/measure.ts: if (runsTools(body)) size.provider_tools = true;",
    without: "",
  },
  {
    id: "bounds-7",
    test: "shared/chat/estimate › an item that is stored",
    guard: "shared/chat/measure.ts: size.stored = true;",
    without: "size.text_bytes += 0;",
  },
  {
    id: "bounds-8",
    test: "shared/gateway/media-holds › %i pictures by address are held as the dearest of the provider's protocols",
    guard: "shared/gateway/bounds.ts: Math.max(0, ...protocols.map((name) => limits.pictureTokens[name])),",
    without: "Math.max(0, ...protocols.map(() => limits.mediaTokens)),",
  },
  {
    id: "bounds-9",
    test: "shared/gateway/media-holds › a strict limit of the model is what a document is held for",
    guard: "shared/gateway/bounds.ts: file_tokens: media_tokens ?? context_tokens,",
    without: "file_tokens: context_tokens,",
  },
  {
    id: "bounds-10",
    test: "shared/gateway/media-holds › reserve a quarter of its minute for a document, and the rest is a debt",
    guard: "shared/chat/estimate.ts: + Math.min(media, mediaMost));",
    without: "+ media);",
  },
  {
    id: "bounds-11",
    test: "shared/gateway/media-holds › reserve a quarter of a key's own minute where that is less",
    guard: "shared/gateway/admit.ts: [tpm, tpd, key.limits?.tpm, key.limits?.tpd]",
    without: "[tpm, tpd]",
  },
  {
    id: "bounds-12",
    test: "shared/gateway/implausible › beyond four times what the model takes and gives, %s, are billed as the most",
    guard: "shared/gateway/plausible.ts: if (!tooMany && !isBeyond(usage, asked)) return { usage };",
    without: "if (!tooMany) return { usage };",
  },
  {
    id: "bounds-13",
    test: "shared/gateway/implausible › of up to four times, %s, are billed as reported, and flagged as an overrun",
    guard: "shared/gateway/plausible.ts: const most = factor *",
    without: "const most =",
  },
  {
    id: "bounds-14",
    test: "shared/gateway/implausible › that is strict is billed no more than its steps",
    guard: "shared/gateway/plausible.ts: asked.steps?.covered ?? asked.bounds",
    without: "asked.bounds",
  },
  {
    id: "bounds-15",
    test: "shared/gateway/implausible › %s are billed as what the request came to at most",
    guard: "shared/gateway/plausible.ts: Math.min(asked.bounds.images ?? 0,",
    without: "Math.min(Number.POSITIVE_INFINITY,",
  },
  {
    id: "bounds-16",
    test: "shared/gateway/implausible › %s are billed as what the request came to at most",
    guard: "shared/gateway/plausible.ts: pictures ?? Number.POSITIVE_INFINITY);",
    without: "Number.POSITIVE_INFINITY);",
  },
  {
    id: "bounds-17",
    test: "shared/gateway/implausible › a receipt shows the report beside what was billed, and says why",
    guard: "shared/gateway/meter.ts: ...(reported && { reported }),",
    without: "",
  },
  {
    id: "bounds-18",
    test: "shared/access/plans › %s is 403 and names the plans that have it",
    guard: "shared/access/callable-model.ts: checkPlanModel(model, principal, catalog, at);",
    without: "",
  },
  {
    id: "bounds-19",
    test: "shared/access/plans › %s is 403 and names the plans that have it",
    guard: "shared/access/callable-model.ts: checkPlanModel(model, principal, catalog, at);",
    without: "",
  },
  {
    id: "bounds-20",
    test: "shared/access/plans › %s, %s, is 403 and names those that allow it",
    guard: "shared/gateway/decode.ts: checkPlanCount(call, principal, deps.catalog, request.received_at);",
    without: "",
  },
  {
    id: "bounds-21",
    test: "shared/access/plans › of %s have what its plan may use",
    guard:
      "shared/catalog/plans.ts: return catalog.models().filter((model) => catalog.plansWith(model).includes(name));",
    without: "return catalog.models();",
  },
  {
    id: "bounds-22",
    test: "shared/access/plans › %s says 403 of a model the plan has not",
    guard: "shared/catalog/plans.ts: checkPlanModel(model, principal, catalog, now);",
    without: "",
  },
  {
    id: "bounds-23",
    test: "shared/catalog/rules › with %s = %j is refused",
    guard: "shared/catalog/rules.ts: models.some(({ id }) => isAmong(id, [pattern]))",
    without: "models.length > 0",
  },
  {
    id: "bounds-24",
    test: "shared/gateway/plausible › with more calls of a tool that nobody asked for than are held for unasked is implausible",
    guard: "shared/gateway/plausible.ts: calls > factor * (held.get(name) ?? limits.serverToolCalls)",
    without: "calls > factor * (held.get(name) ?? calls)",
  },
  {
    id: "bounds-25",
    test: "shared/tasks/switches › costs no more searches than were held for where far more are reported than can be",
    guard: "shared/tasks/end.ts: const cut = withoutNonsense(details);",
    without: "const cut = undefined;",
  },
];
