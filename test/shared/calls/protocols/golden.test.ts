/**
 * The golden corpus, written by hand from the documentation of the vendors. It says what a provider receives for
 * each request. Each reply and stream leaves as it came, with the usage it reports.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ProtocolName, routes } from "#shared/base/http/routes.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { call } from "#test/support/call.ts";
import { bare } from "#test/support/own-ids.ts";
import { sse, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const root = join(import.meta.dirname, "../../../golden");
/** Gemini and Converse have goldens of their own form, with the neutral form beside each. */
const names = [...new Set(routes.flatMap((route) => ("protocol" in route ? [route.protocol] : [])))].filter(
  (name) => existsSync(join(root, name, "requests", "plain.upstream.json")),
);

/** Cases of a folder that have the given companion file; those of the crossings (`x-`) have their own tests. */
function cases(protocol: ProtocolName, kind: string, companion: string): string[] {
  const folder = join(root, protocol, kind);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(companion) && !file.startsWith("x-"))
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
  /** The plainest request of the protocol, with what a test changes in it. */
  const plain = (change: object = {}) =>
    send({ ...JSON.parse(bytesOf(protocol, "requests", "plain.json").toString()), ...change });

  test("has requests and replies, and streams where it streams", () => {
    expect(cases(protocol, "requests", ".upstream.json").length).toBeGreaterThan(1);
    expect(cases(protocol, "replies", ".usage.json").length).toBeGreaterThan(0);
    const streams = cases(protocol, "streams", ".usage.json").length;
    if (protocols[protocol].capability === "chat") expect(streams).toBeGreaterThan(1);
  });

  test.each(cases(protocol, "requests", ".upstream.json"))(
    "request %s reaches the provider as it should",
    async (name) => {
      scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
      // An earlier answer is known to its client by the id that the gateway gave it.
      const request = bytesOf(protocol, "requests", `${name}.json`).toString();
      await send(request.replace('"resp_7"', JSON.stringify(scenario.memory.give("resp_7"))));
      const expected = bytesOf(protocol, "requests", `${name}.upstream.json`).toString();
      expect(scenario.upstream.requests[0]?.body.toString()).toBe(expected);
    },
  );

  test.each(cases(protocol, "replies", ".usage.json"))("reply %s leaves as it should", async (name) => {
    const bytes = bytesOf(protocol, "replies", `${name}.json`);
    scenario.upstream.on((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(bytes),
    );
    // As it came, but where the route owes the client another form of it.
    const changed = existsSync(join(root, protocol, "replies", `${name}.client.json`));
    const expected = changed
      ? bytesOf(protocol, "replies", `${name}.client.json`).toString().trim()
      : bytes.toString();
    expect(bare((await plain()).text)).toBe(expected);
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
        expect(bare((await plain({ stream: true })).text)).toBe(bytes.toString());
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
