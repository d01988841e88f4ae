import type { Row } from "../guard.ts";

const exact = "signatures › gives a provider of %s its own signatures, and nothing of another's";
const cut = "signatures › that is damaged, forged or old is nobody's, and never throws";
const order = "model-switch › through %s";
const loop = "model-switch › %s calls a tool, and %s gets the result";

/** Signatures reach the model that made them, and no other (crossings.md, "Signatures"). */
export const signatures: Row[] = [
  {
    id: "signatures-1",
    test: order,
    guard: "shared/gateway/exchange.ts: const event = tagEvent(told, origin);",
    without: "const event = told;",
  },
  {
    id: "signatures-2",
    test: order,
    guard: "shared/gateway/exchange.ts: tagPart(part, origin)",
    without: "part",
  },
  {
    id: "signatures-3",
    test: order,
    guard: "shared/gateway/exchange.ts: messages: restored.messages,",
    without: "",
  },
  {
    id: "signatures-4",
    test: order,
    guard: "shared/gateway/exchange.ts: if (!upstream.untag || !mayHoldTag(outgoing.bytes)) return outgoing;",
    without: "return outgoing;",
  },
  {
    id: "signatures-5",
    test: "untag › its own signatures are restored; another's thought goes, its call gets the sentinel, and the rest stays",
    guard: 'shared/chat/signature.ts: if (!tagged) return { fate: "stays" };',
    without: 'if (!tagged) return { fate: "goes", signed: true };',
  },
  {
    id: "signatures-6",
    test: exact,
    guard: 'shared/chat/signature.ts: const isOwn = given.origin === origin && signature !== "";',
    without: 'const isOwn = signature !== "";',
  },
  {
    id: "signatures-7",
    test: cut,
    guard: "shared/chat/signature.ts: const isWhole = check !== undefined && check === digest(signature);",
    without: "const isWhole = true;",
  },
  {
    id: "signatures-8",
    test: "signatures › what came untagged did not come through a crossing: it is another's, and an empty one is none",
    guard: "shared/protocols/anthropic/request.ts: if (part.signature) return",
    without: "if (part.signature !== undefined) return",
  },
  {
    id: "signatures-9",
    test: loop,
    guard: "shared/protocols/anthropic/untag.ts: return withoutThinking(edited, dropped);",
    without: "return { bytes: edited, dropped: [...dropped] };",
  },
  {
    id: "signatures-10",
    test: loop,
    guard: "shared/protocols/gemini/untag.ts: return signedBy(replaceBy(unsigned));",
    without: "return signedBy(takeOut);",
  },
  {
    id: "signatures-11",
    test: loop,
    guard: "shared/protocols/gemini/parts.ts: ...signed(part.signature ?? unsigned)",
    without: "...signed(part.signature)",
  },
  {
    id: "signatures-12",
    test: "untag › its own items are restored without the gateway's id, and another's go",
    guard: "shared/protocols/openai-responses/untag.ts: , id: takeOut",
    without: "",
  },
  {
    id: "signatures-13",
    test: order,
    guard: "shared/protocols/openai-responses/output.ts: part.signature ?? unsigned",
    without: "part.signature",
  },
  {
    id: "signatures-14",
    test: order,
    guard: "shared/protocols/anthropic/encoder.ts: const given = signature || state.unsigned;",
    without: "const given = signature;",
  },
  {
    id: "signatures-15",
    test: "untag › a turn of which nothing is left goes too",
    guard: "shared/protocols/anthropic/untag.ts: return emptied ? undefined : edited;",
    without: "return edited;",
  },
];
