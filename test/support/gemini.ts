/** Gemini's goldens, and a strict reader of its streams that shares nothing with the product. */
import { readdirSync, readFileSync } from "node:fs";
import { createFrameSplitter, splitFrames } from "#shared/base/sse/frames.ts";

const root = new URL("../golden/gemini/", import.meta.url);

export function readGolden(path: string): Buffer {
  return readFileSync(new URL(path, root));
}

export function readJson<T = Record<string, unknown>>(path: string): T {
  return JSON.parse(readGolden(path).toString("utf8")) as T;
}

/** Names of the cases in a folder: files that end in `ending`, without it. */
export function casesIn(folder: string, ending: string): string[] {
  return readdirSync(new URL(`${folder}/`, root))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
}

/** The frames of a stream that arrives cut at the given offsets. */
export function framesOf(bytes: Buffer, cuts: number[] = []): Buffer[] {
  const splitter = createFrameSplitter(1_000_000);
  const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
  return ends.flatMap((end, index) => splitFrames(splitter.push(bytes.subarray(ends[index - 1] ?? 0, end))));
}

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id: string; name: string; args: Record<string, unknown> };
}

interface Chunk {
  candidates: [
    {
      content: { role: string; parts: Part[] };
      finishReason?: string;
      finishMessage?: string;
      index: number;
    },
  ];
  usageMetadata?: Record<string, number>;
  modelVersion: string;
  responseId: string;
}

/** What a stream says by Gemini's grammar. */
interface Read {
  id: string;
  text: string;
  thoughts: string;
  calls: NonNullable<Part["functionCall"]>[];
  signatures: string[];
  finish: { reason: string; message: string | undefined };
  usage: Record<string, number> | undefined;
}

/**
 * Reads a stream as Google's strictest client does (protocols.md §3.4). Every frame is one `data: ` line with one
 * JSON object. Nothing else stands between frames, and only the last one has a finish reason.
 */
export function readStrictly(stream: Buffer): Read {
  const frames = stream.toString("utf8").split("\n\n");
  if (frames.pop() !== "") throw new Error("the last frame is not ended by a blank line");
  const chunks = frames.map((frame) => {
    if (!frame.startsWith("data: {") || frame.includes("\n")) throw new Error(`no data frame: ${frame}`);
    return JSON.parse(frame.slice("data: ".length)) as Chunk;
  });
  const last = chunks.at(-1);
  if (!last) throw new Error("no frame");
  for (const { candidates, responseId } of chunks) {
    const [candidate] = candidates;
    if (candidates.length !== 1 || candidate.index !== 0 || candidate.content.role !== "model") {
      throw new Error("each chunk has one candidate of the model");
    }
    if (responseId !== last.responseId) throw new Error("the id changes");
  }
  for (const { candidates, usageMetadata } of chunks.slice(0, -1)) {
    if (candidates[0].finishReason || usageMetadata) throw new Error("the end comes too early");
    if (candidates[0].content.parts.length === 0) throw new Error("an empty chunk");
  }
  const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
  // The SDK's chats forget a turn in which any chunk has no part (its isValidResponse). So the last chunk of an
  // answer has an empty text. No other chunk has one.
  const early = chunks.slice(0, -1).flatMap(({ candidates }) => candidates[0].content.parts);
  if (early.some((part) => part.text === "" && !part.thought)) throw new Error("an empty text part");
  const [{ finishReason, finishMessage, content }] = last.candidates;
  if (finishReason !== "SAFETY" && content.parts.length === 0)
    throw new Error("an answer's last chunk has no part");
  if (!finishReason) throw new Error("no finish reason");
  const joined = (thought: boolean) =>
    parts
      .filter((part) => (part.thought ?? false) === thought)
      .map(({ text = "" }) => text)
      .join("");
  return {
    id: last.responseId,
    text: joined(false),
    thoughts: joined(true),
    calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
    signatures: parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
    finish: { reason: finishReason, message: finishMessage },
    usage: last.usageMetadata,
  };
}
