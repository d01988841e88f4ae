/** Gemini passed through: the path, the fields we act on, replies and streams read on the side. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { renderFrame } from "#shared/base/sse/frames.ts";
import type { ChatCall } from "#shared/books/billing/call.ts";
import { createRelay } from "#shared/calls/exchange/relay.ts";
import { errorFrame } from "#shared/calls/protocols/error-frame.ts";
import { readRequest } from "#shared/calls/protocols/gemini/fields.ts";
import { gemini } from "#shared/calls/protocols/gemini/index.ts";
import { readReply } from "#shared/calls/protocols/gemini/pass-through/reply.ts";
import { passThrough } from "#shared/calls/protocols/gemini/pass-through/request.ts";
import { createArrayForm, createReader } from "#shared/calls/protocols/gemini/pass-through/stream.ts";
import { splitModelAction, upstreamPath } from "#shared/calls/protocols/gemini/path.ts";
import { casesIn, framesOf, readGolden, readJson } from "#test/support/gemini.ts";

const body = (text: string) => readJsonObject(Buffer.from(text));
const contents = `"contents":[{"parts":[{"text":"x"}]}]`;
const call: ChatCall = { stream: true, max_output_tokens: null, choices: 1, user: null, hide_usage: false };

describe("the path", () => {
  test.each([
    ["gemini-3.5-flash:generateContent", "gemini-3.5-flash", "generateContent"],
    ["google/gemini-3.5-flash:streamGenerateContent", "google/gemini-3.5-flash", "streamGenerateContent"],
    ["google%2Fgemini-3.5-flash:countTokens", "google/gemini-3.5-flash", "countTokens"],
    ["models/prov/name:v2:embedContent", "prov/name:v2", "embedContent"],
    ["models%2Fm%3AbatchEmbedContents", "m", "batchEmbedContents"],
  ])("%s", (given, model, action) => {
    expect(splitModelAction(decodeURIComponent(given))).toEqual({ model, action });
  });

  test.each([
    "m",
    "m:",
    "m:predict",
    ":generateContent",
    "models/:generateContent",
    "generateContent",
    "m:toString",
  ])("%s is no route", (given) => {
    expect(() => splitModelAction(given)).toThrow(GatewayError);
  });

  test("of a client says whether and how it streams", () => {
    const read = (parameter: string, query: string) =>
      gemini.address?.(parameter, { query: new URLSearchParams(query) });
    expect(read("p/m:generateContent", "")).toEqual({ model: "p/m", stream: false, json_array: false });
    expect(read("m:streamGenerateContent", "alt=sse&key=x")).toMatchObject({
      stream: true,
      json_array: false,
    });
    expect(read("m:streamGenerateContent", "alt=json")).toMatchObject({ stream: true, json_array: true });
    expect(() => read("m:embedContent", "")).toThrow(expect.objectContaining({ key: "not_found" }));
  });

  test("upstream", () => {
    expect(upstreamPath("gemini-3.5-flash", "countTokens", false)).toBe(
      "/v1beta/models/gemini-3.5-flash:countTokens",
    );
    expect(gemini.upstreamPath("a/b?c", call)).toBe("/v1beta/models/a/b%3Fc:streamGenerateContent?alt=sse");
    expect(gemini.upstreamPath("m", { ...call, stream: false })).toBe("/v1beta/models/m:generateContent");
  });
});

describe("a request", () => {
  test("says what admission needs, in either spelling", () => {
    const config = `{"maxOutputTokens":9,"candidateCount":2,"temperature":null}`;
    const drawing = { field: "generationConfig", kind: "tokenKind", name: "image_output", implied: true };
    const read = {
      max_output_tokens: 9,
      choices: 2,
      user: null,
      hide_usage: false,
      unseen_input: false,
      switches: [drawing],
    };
    const whole = readRequest(body(`{${contents},"generationConfig":${config}}`));
    expect(whole).toEqual({ ...read, stream: false, json_array: false });
    const snake = `{${contents},"generation_config":{"max_output_tokens":9,"candidate_count":2}}`;
    const streamed = readRequest(body(snake), { model: "m", stream: true, json_array: true });
    expect(streamed).toEqual({ ...read, stream: true, json_array: true });
  });

  test.each([
    `{}`,
    `{"contents":[]}`,
    `{"contents":["x"]}`,
    `{"contents":[{"role":"user"}]}`,
    `{${contents},"systemInstruction":"x"}`,
    `{${contents},"system_instruction":{}}`,
    `{${contents},"tools":{}}`,
    `{${contents},"generationConfig":[]}`,
    `{${contents},"generationConfig":{"maxOutputTokens":0}}`,
    `{${contents},"generationConfig":{"maxOutputTokens":"9"}}`,
    `{${contents},"generationConfig":{"temperature":2.5}}`,
    `{${contents},"generationConfig":{"candidateCount":1000}}`,
    `{${contents},"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9999}}`,
    `{${contents},"generationConfig":{},"generation_config":{"maxOutputTokens":9}}`,
    `{${contents},${contents}}`,
  ])("%s is refused", (text) => {
    expect(() => readRequest(body(text))).toThrow(expect.objectContaining({ key: "invalid_request" }));
  });

  test("passes as it came; only a model it repeats is changed", () => {
    const text = `{ ${contents} , "z":1.0e+2 }`;
    expect(Buffer.concat(passThrough(body(text), call, "m")).toString()).toBe(text);
    const named = `{"model" : "models/google/x", ${contents}}`;
    expect(Buffer.concat(passThrough(body(named), call, "up-1")).toString()).toBe(
      `{"model" : "models/up-1", ${contents}}`,
    );
  });
});

describe("a whole reply", () => {
  test("pitfall 7: thoughts are output, beside the candidates, and cached tokens come off the prompt", () => {
    const facts = readReply(readGolden("replies/thinking-cached.json"));
    expect(facts).toMatchObject({
      usage: { input_tokens: 45, cache_read_tokens: 60, cache_write_tokens: 0, output_tokens: 23 },
      produced: true,
      failed: false,
    });
  });

  test("missing usage is not zero, nonsense is bounded, and cached tokens never exceed the prompt", () => {
    const usage = (metadata: object) =>
      readReply(Buffer.from(JSON.stringify({ usageMetadata: metadata }))).usage;
    expect(readReply(Buffer.from("{}")).usage).toBeUndefined();
    expect(usage({ trafficType: "ON_DEMAND" })).toBeUndefined();
    expect(usage({ promptTokenCount: null })).toBeUndefined();
    expect(usage({ totalTokenCount: 9, candidatesTokenCount: 4 })).toBeUndefined();
    expect(
      usage({ promptTokenCount: 5, cachedContentTokenCount: 9, candidatesTokenCount: -1 }),
    ).toMatchObject({
      input_tokens: 0,
      cache_read_tokens: 5,
      output_tokens: 0,
    });
  });

  test("what a client could use is seen: text, calls, pictures; a signature is of thoughts", () => {
    const facts = (...parts: object[]) =>
      readReply(Buffer.from(JSON.stringify({ candidates: [{ content: { parts } }] })));
    expect(facts({ functionCall: { name: "f" } }).produced).toBe(true);
    expect(facts({ inlineData: { mimeType: "image/png", data: "AAAA".repeat(1_000) } })).toMatchObject({
      produced: true,
      output_bytes: 1,
    });
    expect(facts({ text: "é" }).output_bytes).toBe(2);
    expect(facts({ text: "", thoughtSignature: "c2ln" })).toMatchObject({ produced: true, output_bytes: 0 });
    expect(facts({ text: "" }).produced).toBe(false);
    expect(readReply(readGolden("replies/blocked-prompt.json")).produced).toBe(false);
    expect(readReply(Buffer.from(`{"error":{"code":503}}`)).failed).toBe(true);
  });
});

describe("a stream on the side", () => {
  test.each(casesIn("streams", ".usage.json"))("%s: the last running total is the usage", (name) => {
    const reader = createReader(call);
    const frames = framesOf(readGolden(`streams/${name}.sse`));
    const handlings = frames.map((frame) => reader.read(frame));
    expect(handlings).toEqual([...frames.slice(1).map(() => "pass"), "hold"]);
    expect(reader.over()).toBe(true);
    expect(reader.usage()).toMatchObject(readJson(`streams/${name}.usage.json`));
  });

  test("pitfall 35: before the finish reason a running total is not the usage", () => {
    const reader = createReader(call);
    for (const frame of framesOf(readGolden("streams/cut-off.sse"))) reader.read(frame);
    expect([reader.over(), reader.usage(), reader.produced()]).toEqual([false, undefined, true]);
    expect(reader.early()).toMatchObject({ input_tokens: 4, output_tokens: 1 });
  });

  test("pitfall 22: an error in the stream's own band is a failure, bare or framed, early or late", () => {
    const text = `{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}`;
    for (const error of [
      renderFrame(`{"error":{"code":503}}`),
      Buffer.from(`{\n "error":{"code":503}\n}\n\n`),
    ]) {
      expect(createReader(call).read(error)).toBe("failed");
      const late = createReader(call);
      expect([late.read(renderFrame(text)), late.read(error)]).toEqual(["pass", "failed"]);
    }
    const reader = createReader(call);
    reader.read(renderFrame(text));
    const argued = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"error":{}}}}]}}]}`;
    expect(reader.read(renderFrame(argued))).toBe("pass");
  });

  test("several candidates: over when the last of them is finished", () => {
    const reader = createReader({ ...call, choices: 2 });
    const finished = (index: number) =>
      renderFrame(`{"candidates":[{"finishReason":"STOP","index":${index}}]}`);
    expect([reader.read(finished(0)), reader.over()]).toEqual(["pass", false]);
    expect([reader.read(finished(1)), reader.over()]).toEqual(["hold", true]);
  });

  test("the error frame is one data line with an integer code", () => {
    expect(errorFrame("gemini", "upstream_error").toString()).toBe(
      `data: {"error":{"code":500,"message":"The model's provider failed.","status":"INTERNAL"}}\n\n`,
    );
  });
});

describe("the array form", () => {
  test("is one JSON array in pieces, errors included, comments left out", () => {
    const form = createArrayForm();
    const frames = [
      renderFrame(`{"a":1}`),
      Buffer.from(": ping\n\n"),
      errorFrame("gemini", "upstream_error"),
    ];
    const pieces = frames.map((frame) => form.push(frame).toString());
    expect(pieces.slice(0, 2)).toEqual([`[{"a":1}`, ""]);
    expect(pieces[2]).toMatch(/^,\r\n\{"error":/);
    expect(JSON.parse(pieces.join("") + form.end())).toEqual([{ a: 1 }, { error: expect.anything() }]);
    expect(createArrayForm().end().toString()).toBe("[]");
  });

  test("stays whole when the provider ends in the middle of a frame after its last", () => {
    const relay = createRelay(gemini.stream, createReader(call), {
      form: createArrayForm(),
    });
    const last = { candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP" }] };
    const out = relay.push(Buffer.concat([renderFrame(JSON.stringify(last)), Buffer.from('data: {"usage')]));
    expect(JSON.parse(`${out}${relay.finish(relay.held())}`)).toEqual([last]);
  });

  test("holds the chunks of any stream in order", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.string())), (chunks) => {
        const form = createArrayForm();
        const pieces = chunks.map((chunk) => form.push(renderFrame(JSON.stringify(chunk))));
        const whole = Buffer.concat([...pieces, form.end()]).toString("utf8");
        expect(whole).toBe(`[${chunks.map((chunk) => JSON.stringify(chunk)).join(",\r\n")}]`);
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});
