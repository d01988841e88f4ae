/**
 * The golden corpus, written by hand from the vendors' documentation: what a provider receives for each
 * request, and that each reply and stream leaves as it came, with the usage it reports.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ProtocolName, routes } from "#shared/http/routes.ts";
import { call } from "./support/call.ts";
import { messages, sse, useScenario } from "./support/scenario.ts";

const scenario = useScenario();
const root = join(import.meta.dirname, "golden");
const names = [...new Set(routes.flatMap((route) => ("protocol" in route ? [route.protocol] : [])))];

/** Cases of a folder that have the given companion file. */
function cases(protocol: ProtocolName, kind: string, companion: string): string[] {
  return readdirSync(join(root, protocol, kind))
    .filter((file) => file.endsWith(companion))
    .map((file) => file.slice(0, -companion.length));
}

const bytesOf = (protocol: ProtocolName, kind: string, file: string) =>
  readFileSync(join(root, protocol, kind, file));
const usageOf = (protocol: ProtocolName, kind: string, name: string) =>
  JSON.parse(bytesOf(protocol, kind, `${name}.usage.json`).toString()) as object;

describe.each(names)("%s", (protocol) => {
  const path = routes.find((route) => "protocol" in route && route.protocol === protocol)?.path ?? "";
  const send = (body: string | Buffer | object) =>
    call(scenario.serve, path, { headers: scenario.bearer(), body });
  const body = { model: "test/model-1", max_tokens: 10, messages };

  test("has requests, replies and streams", () => {
    for (const kind of ["requests", "replies", "streams"])
      expect(existsSync(join(root, protocol, kind))).toBe(true);
    expect(cases(protocol, "requests", ".upstream.json").length).toBeGreaterThan(1);
    expect(cases(protocol, "streams", ".usage.json").length).toBeGreaterThan(1);
  });

  test.each(cases(protocol, "requests", ".upstream.json"))(
    "request %s reaches the provider as it should",
    async (name) => {
      scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
      await send(bytesOf(protocol, "requests", `${name}.json`));
      const expected = bytesOf(protocol, "requests", `${name}.upstream.json`).toString();
      expect(scenario.upstream.requests[0]?.body.toString()).toBe(expected);
    },
  );

  test.each(cases(protocol, "replies", ".usage.json"))("reply %s leaves as it came", async (name) => {
    const bytes = bytesOf(protocol, "replies", `${name}.json`);
    scenario.upstream.on((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(bytes),
    );
    expect((await send(body)).text).toBe(bytes.toString());
    expect(scenario.memory.events[0]).toMatchObject({
      evidence: "reported",
      usage: usageOf(protocol, "replies", name),
    });
  });

  test.each(cases(protocol, "streams", ".usage.json"))(
    "stream %s leaves as it came, whatever its cuts",
    async (name) => {
      const bytes = bytesOf(protocol, "streams", `${name}.sse`);
      for (const size of [1, 7, 64, bytes.length]) {
        scenario.upstream.on(async (_, response) => {
          response.writeHead(200, sse);
          for (let from = 0; from < bytes.length; from += size)
            response.write(bytes.subarray(from, from + size));
          response.end();
        });
        expect((await send({ ...body, stream: true })).text).toBe(bytes.toString());
        const event = scenario.memory.events.at(-1);
        expect(event).toMatchObject({
          evidence: "reported",
          outcome: "completed",
          usage: usageOf(protocol, "streams", name),
        });
      }
    },
  );
});
