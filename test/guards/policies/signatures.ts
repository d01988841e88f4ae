import type { Row } from "#test/guards/guard.ts";

const exact =
  "shared/calls/chat/signature › gives a provider of %s its own signatures, and nothing of another's";
const cut = "shared/calls/chat/signature › that is damaged, forged or old is nobody's, and never throws";
const order = "sdk/model-switch › through %s";
const loop = "sdk/model-switch › %s calls a tool, and %s gets the result";

/** Signatures reach the model that made them, and no other (crossings.md, "Signatures"). */
export const signatures: Row[] = [
  {
    id: "signatures-1",
    test: order,
    guard: "const event = tagEvent(told, origin);",
    without: "const event = told;",
  },
  {
    id: "signatures-2",
    test: order,
    guard: "tagPart(part, origin)",
    without: "part",
  },
  {
    id: "signatures-3",
    test: order,
    guard: "messages: restored.messages,",
    without: "",
  },
  {
    id: "signatures-4",
    test: order,
    guard: "if (!outgoing.body.some(mayHoldTag)) return outgoing;",
    without: "return outgoing;",
  },
  {
    id: "signatures-5",
    test: "shared/calls/protocols/untag › its own signatures are restored; another's thought goes, its call gets the sentinel, and the rest stays",
    guard: 'if (!tagged) return { fate: "stays" };',
    without: 'if (!tagged) return { fate: "goes", signed: true };',
  },
  {
    id: "signatures-6",
    test: exact,
    guard: 'const isOwn = given.origin === origin && signature !== "";',
    without: 'const isOwn = signature !== "";',
  },
  {
    id: "signatures-7",
    test: cut,
    guard: "const isWhole = check !== undefined && check === digest(signature);",
    without: "const isWhole = true;",
  },
  {
    id: "signatures-8",
    test: "shared/calls/chat/signature › what came untagged did not come through a crossing: it is another's, and an empty one is none",
    in: "request.ts",
    guard: "if (part.signature) return",
    without: "if (part.signature !== undefined) return",
  },
  {
    id: "signatures-9",
    test: loop,
    guard: "return withoutThinking(edited, dropped);",
    without: "return { bytes: edited, dropped: [...dropped] };",
  },
  {
    id: "signatures-10",
    test: loop,
    guard: "return signedBy(replaceBy(unsigned));",
    without: "return signedBy(takeOut);",
  },
  {
    id: "signatures-11",
    test: loop,
    guard: "...signed(part.signature ?? unsigned)",
    without: "...signed(part.signature)",
  },
  {
    id: "signatures-12",
    test: "shared/calls/protocols/untag › its own items are restored without the gateway's id, and another's go",
    guard: ", id: takeOut",
    without: "",
  },
  {
    id: "signatures-13",
    test: order,
    in: "output.ts",
    guard: "part.signature ?? unsigned",
    without: "part.signature",
  },
  {
    id: "signatures-14",
    test: order,
    guard: "const given = signature || state.unsigned;",
    without: "const given = signature;",
  },
  {
    id: "signatures-15",
    test: "shared/calls/protocols/untag › a turn of which nothing is left goes too",
    guard: "return isEmptied ? undefined : edited;",
    without: "return edited;",
  },
];
