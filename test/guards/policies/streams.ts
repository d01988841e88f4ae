import type { Row } from "#test/guards/guard.ts";

const stalls =
  "shared/base/http/reader › who takes nothing for 30 seconds is gone: the provider is read to its end and its report billed";
const floods =
  "shared/calls/gateway/stream-bounds › %s: what follows the usage without an end breaks the stream, which is billed as reported";

/** What is promised of streams whose reader or provider does not stop as it should, and what they say of their cost. */
export const streams: Row[] = [
  {
    id: "streams-1",
    test: stalls,
    guard: "else if (since !== undefined) onGone();",
    without: "else if (since !== undefined) return;",
  },
  {
    id: "streams-2",
    test: "shared/base/http/reader › shortly before the time runs out who is not reading is gone, so that the provider can still report",
    guard: "from < leads_at ? leads_at : last_at",
    without: "last_at",
  },
  {
    id: "streams-3",
    test: stalls,
    guard: "abandoned ? answer.relay.finish([lostFrame(admitted, answer)]) : await concluded",
    without: "await concluded",
  },
  {
    id: "streams-4",
    test: stalls,
    guard: "(ended ??= reply.after?.() ?? Promise.resolve());",
    without: "reply.after?.() ?? Promise.resolve();",
  },
  {
    id: "streams-5",
    test: "shared/base/http/reader › a long whole answer leaves in pieces, and who takes none of them is gone",
    guard: "return body.length > limits.replyPieceBytes ? pieces(Buffer.from(body as string)) : undefined;",
    without: "return undefined;",
  },
  {
    id: "streams-6",
    test: "deployed/stalled › behind a local function URL the others are served on, and the connection is broken off",
    guard: "void reply.gone?.then(() => outlet.destroy());",
    without: "",
  },
  {
    id: "streams-7",
    test: floods,
    guard: "if (heldBytes > limits.heldBytesMax)",
    without: "if (false)",
  },
  {
    id: "streams-8",
    test: floods,
    guard: "!overflown && (reader.over()",
    without: "(reader.over()",
  },
  {
    id: "streams-9",
    test: "shared/calls/gateway/stream-bounds › comments without a frame are no answer: the provider has failed, and the call is free",
    guard: "if (bytes > limits.openingBytesMax)",
    without: "if (false)",
  },
  {
    id: "streams-10",
    test: "shared/calls/gateway/stream-bounds › an answer that crosses is kept up to a bound, for its last event repeats it",
    guard: "if (carried > limits.crossedCharsMax)",
    without: "if (false)",
  },
  {
    id: "streams-11",
    test: "shared/calls/gateway/stream-bounds › an estimate counts all that came, however long the stream",
    guard: "if (observedBytes > limits.observedBytesMax) count();",
    without: "if (observedBytes > limits.observedBytesMax) observed.pop();",
  },
  {
    id: "streams-12",
    test: "infra/local/emulators/function-url › tells those whose answer had begun by breaking it off, and all others by 502",
    guard: "if (!response.headersSent) response.setHeader",
    without: "response.setHeader",
  },
  {
    id: "streams-13",
    test: "shared/calls/gateway/cost-in-usage › a stream's last frame with a usage says the cost, and no other byte is changed",
    guard: "costInFrames(protocol, ending, published.event.cost_points)",
    without: "ending",
  },
  {
    id: "streams-14",
    test: "shared/calls/gateway/cost-in-usage › a repetition is given the same bytes again",
    guard: "recorder?.add(last);",
    without: "recorder?.add(Buffer.concat(ending));",
  },
  {
    id: "streams-15",
    test: "shared/calls/gateway/cost-in-usage › any other wish is refused, and costs nothing: `%s`",
    guard: "if (given === undefined || known !== undefined) return known;",
    without: "if (given !== null) return known;",
  },
  {
    id: "streams-16",
    test: "shared/calls/access/replay-streams › a stream whose last read has more than its end is given again whole",
    guard: "recorder?.add(error.before);",
    without: "",
  },
  {
    id: "streams-17",
    test: "shared/calls/gateway/pings › the silence begins with the last frame that was taken",
    guard: "if (left > 0) {",
    without: "if (false) {",
  },
  {
    id: "streams-18",
    test: "shared/calls/exchange/relay › %s: reads that leave whole change nothing",
    guard: "begun && !holding && reader.passes?.(read)",
    without: "begun && reader.passes?.(read)",
  },
  {
    id: "streams-19",
    test: "shared/calls/protocols/output › a usage that its vendor writes with spaces is read, also after output",
    guard: String.raw`(?:usage|error)"[ :]*\{|DONE\]`,
    without: String.raw`(?:usage|error)":\{|DONE\]`,
  },
  {
    id: "streams-20",
    test: "shared/calls/gateway/stream-bounds › an answer that is nested too deeply to be measured counts by its bytes",
    guard: "return frame.length;",
    without: "return 0;",
  },
  {
    id: "streams-21",
    rule: "who wished it has the provider broken off on hanging up",
    test: "functions/front/hang-up › in a stream is billed what came, and its provider is broken off",
    guard: 'if (admitted.on_disconnect === "abort") admitted.request.onHangUp?.(flow.breakOff);',
    without: "",
  },
  {
    id: "streams-22",
    rule: "nobody gets the input for nothing by hanging up",
    test: "functions/front/hang-up › before the first frame waits for it, and is billed its input",
    guard: "if (!outcome.broken_off && isFree(kind, outcome)) {",
    without: "if (isFree(kind, outcome)) {",
  },
  {
    id: "streams-23",
    rule: "a stream that is broken off is no fault of its channel",
    test: "functions/front/hang-up › in a stream is billed what came, and its provider is broken off",
    guard: "[ended, broken, brokenOff] = [true, true, true];",
    without: "[broken, brokenOff] = [true, true];",
  },
  {
    id: "streams-24",
    rule: "where Converse has said nothing but whose turn it is, the next channel may still answer",
    test: "shared/calls/upstreams/hosts/converse-frames › %s is the next channel's call",
    guard: 'return "opening";',
    without: 'return "pass";',
  },
];
