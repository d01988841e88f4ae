/** Streams of pictures, embeddings of pictures, and embeddings that cross to another protocol. */
import type { Row } from "#test/guards/guard.ts";

export const surfaces: Row[] = [
  {
    id: "surfaces-1",
    test: "shared/calls/gateway/image-stream-routes › on %s of %s",
    guard: 'if (!stream || kind !== "image" || capabilities.includes("stream")) return;',
    without: "if (stream || kind || capabilities) return;",
  },
  {
    id: "surfaces-2",
    test: "shared/calls/gateway/image-stream-routes › on %s of %s",
    guard: "if (!stream) return;",
    without: "if (stream !== undefined) return;",
  },
  {
    id: "surfaces-3",
    test: "shared/calls/gateway/image-stream-routes › on %s of %s are whole",
    guard: "return other && elsewhere.before_own ? other : (baseOf(provider, client) ?? other);",
    without: "return baseOf(provider, client) ?? other;",
  },
  {
    id: "surfaces-4",
    test: "shared/calls/gateway/image-streams › is charged the pictures that came, as a flagged estimate",
    guard: "early: () => (pictures > 0 ?",
    without: "early: () => (pictures > 1_000 ?",
  },
  {
    id: "surfaces-5",
    test: "shared/calls/gateway/image-streams › is free where no picture had come: %s",
    guard: '(pictures > 0 || (reported?.generated_images ?? 0) > 0 ? "none" : "error")',
    without: '"none"',
  },
  {
    id: "surfaces-6",
    test: "shared/calls/gateway/image-streams › %s",
    guard: '!type.endsWith(".partial_failed") && isFailure(event)',
    without: "isFailure(event)",
  },
  {
    id: "surfaces-7",
    test: "shared/calls/gateway/image-streams › a count beyond the pictures that came is not believed",
    guard: "pictures: reader.pictures?.(),",
    without: "",
  },
  {
    id: "surfaces-8",
    test: "shared/calls/gateway/image-streams › behind its last event is whole: %s",
    guard: "over ||= completed >= wanted;",
    without: "over ||= completed > wanted;",
  },
  {
    id: "surfaces-9",
    test: "shared/calls/gateway/multimodal-embeddings › is %s",
    guard:
      'switches: parts.some(isMedium) ? [tokenKindSwitch("input", "image_input", { implied: true })] : [],',
    without: "",
  },
  {
    id: "surfaces-10",
    test: "shared/calls/gateway/multimodal-embeddings › is at most the model's context, since all of the input is one",
    guard: 'call_tokens: capability === "embeddings" ?',
    without: 'call_tokens: capability.endsWith("embeddings") ?',
  },
  {
    id: "surfaces-11",
    test: "shared/calls/gateway/multimodal-embeddings › pass through byte for byte, and each kind of token has its price",
    guard: "details: detailsOf({ tokens: { image_input: pictures } }),",
    without: "details: detailsOf({ calls: { pictures } }),",
  },
  {
    id: "surfaces-12",
    test: "shared/calls/gateway/embeddings-across › %s are refused, and consume nothing",
    guard: "if (texts.length > limits.embeddedTextsMax)",
    without: "if (texts.length > limits.bodyBytesMax)",
  },
  {
    id: "surfaces-13",
    test: "shared/calls/gateway/embeddings-across › a reply with %s has failed, and is free",
    guard: "if (!Array.isArray(vectors) || vectors.length !== call.inputs)",
    without: "if (!Array.isArray(vectors))",
  },
  {
    id: "surfaces-14",
    test: "shared/calls/protocols/gemini-embeddings/gemini-embeddings › that gives %s vectors than it was asked for has failed",
    guard: "if (data.length !== inputs)",
    without: "if (data.length < 0 && inputs)",
  },
  {
    id: "surfaces-15",
    test: "shared/calls/gateway/embeddings-across › without a report the client is told the estimate that it is billed by",
    guard: "inputTokensGuess(size, Number.POSITIVE_INFINITY)",
    without: "inputTokensGuess(size, 0)",
  },
  {
    id: "surfaces-16",
    test: "shared/calls/gateway/image-stream-routes › a tier that an edit leaves out is not charged",
    guard: "&& !dropped.includes(field)",
    without: "",
  },
  {
    id: "surfaces-17",
    test: "shared/calls/gateway/cloud-vectors › %s takes no %s, and nothing is consumed",
    guard: "if (host) await checkAtHost(host, ...askedOf(decoded, route.protocol, channel.model, exchange));",
    without: "",
  },
  {
    id: "surfaces-18",
    test: "shared/calls/gateway/cloud-vectors › are billed the estimate where one of the counts is missing",
    guard: "return areCounts ? (counts as number[])",
    without: "return counts.length > 0 ? (counts as number[])",
  },
  {
    id: "surfaces-19",
    test: "shared/calls/gateway/cloud-vectors › a refusal of one text is the call's, which is free and sends no further request",
    guard: "if (asking.refused) return stop.abort();",
    without: "",
  },
  {
    id: "surfaces-20",
    test: "shared/calls/gateway/cloud-vectors › a reply with %s has failed, and is free",
    guard: "if (!Array.isArray(found) || found.length !== length || !found.every(Array.isArray))",
    without: "if (!Array.isArray(found))",
  },
  {
    id: "surfaces-21",
    test: "shared/calls/gateway/cloud-pictures › that the filter keeps back are not charged; if it keeps all, the request is refused",
    guard: 'if (filtered === undefined) throw new TypeError("no picture");',
    without: 'throw new TypeError("no picture");',
  },
];
