/**
 * The golden corpus across protocols. Beside a golden stands what it becomes in each other protocol, written by
 * hand. `<case>.crossed.json` has one member for each protocol; a stream is the list of its frames' data. A member
 * that is a text says why the crossing refuses the case. The signatures of a request belong to another model, so
 * they are taken out. The signatures of a stream stand as they are before they are tagged.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import { createFrameSplitter, frameData, splitFrames } from "#shared/base/sse/frames.ts";
import { restoreSignatures } from "#shared/calls/chat/signature.ts";
import type { CrossingName, ReplyTarget } from "#shared/calls/protocols/crossing.ts";
import { crossings } from "#test/support/crossings.ts";
import { origin } from "#test/support/signatures.ts";

type Name = CrossingName;
type Crossed = Partial<Record<Name, unknown>>;

const root = join(import.meta.dirname, "../../../golden");
/** Converse's have the neutral form beside each (`bedrock-converse/`). */
const names = (Object.keys(crossings) as Name[]).filter((name) => name !== "bedrock-converse");
const target: ReplyTarget = { model: "test/model-1", request: {}, hide_usage: false };

/** Every case of a kind with the protocols it is told in: [source, case, target, expected]. */
function cases(
  kind: "requests" | "streams",
): [source: Name, name: string, target: Name, expected: unknown][] {
  return names.flatMap((source) => {
    const folder = join(root, source, kind);
    const files = existsSync(folder)
      ? readdirSync(folder).filter((file) => file.endsWith(".crossed.json"))
      : [];
    return files.flatMap((file) => {
      const crossed = JSON.parse(readFileSync(join(folder, file), "utf8")) as Crossed;
      const name = file.slice(0, -".crossed.json".length);
      return Object.entries(crossed).map(([to, expected]): ReturnType<typeof cases>[number] => [
        source,
        name,
        to as Name,
        expected,
      ]);
    });
  });
}

function crossRequest(source: Name, name: string, to: Name): unknown {
  const body = JSON.parse(readFileSync(join(root, source, "requests", `${name}.json`), "utf8")) as Fields;
  try {
    const decoded = crossings[source].decodeRequest(body);
    const { messages } = restoreSignatures(decoded.request.messages, origin);
    const request = { ...decoded.request, messages };
    return crossings[to].encodeRequest(request, { model: "upstream-model", output_tokens: 8_192 }).body;
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

/** The data of the frames that a stream becomes; `error` where it breaks off. */
function crossStream(source: Name, name: string, to: Name): unknown[] {
  const decoder = crossings[source].createDecoder();
  const encoder = crossings[to].createEncoder(target);
  const splitter = createFrameSplitter(1_000_000);
  const frames = splitFrames(splitter.push(readFileSync(join(root, source, "streams", `${name}.sse`))));
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  const data: unknown[] = [];
  for (const event of events) {
    if (event.type === "error") return [...data, "error"];
    for (const frame of encoder.push(event)) {
      const text = frameData(frame);
      data.push(text.startsWith("{") ? JSON.parse(text) : text);
    }
  }
  return data;
}

describe("requests", () => {
  test.each(cases("requests"))("%s %s in %s", (source, name, to, expected) => {
    expect(crossRequest(source, name, to)).toEqual(expected);
  });
});

describe("streams", () => {
  test.each(cases("streams"))("%s %s in %s", (source, name, to, expected) => {
    expect(crossStream(source, name, to)).toEqual(expected);
  });
});

test.each(names)("%s is told in each other protocol", (source) => {
  const told = (kind: "requests" | "streams") =>
    new Set(
      cases(kind)
        .filter(([from]) => from === source)
        .map(([, name]) => name),
    );
  expect(told("requests").size).toBeGreaterThanOrEqual(12);
  expect(told("streams").size).toBeGreaterThanOrEqual(8);
});
