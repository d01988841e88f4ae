/** What the video routes of the running gateway refuse, each in the video form and without a trace in the books. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { expectCleanAudit } from "#test/support/money.ts";
import {
  type Answer,
  type Buyer,
  buyer,
  nullFilled,
  permittedModel,
  runCatalog,
  runEnv,
  videoClient,
  videoModel,
} from "#test/support/video-run.ts";

let gateway: LocalGateway;
let rich: Buyer;
beforeAll(async () => {
  gateway = await startLocal({ catalog: runCatalog(), env: runEnv });
  rich = await buyer(gateway);
});
afterAll(async () => {
  await gateway?.stop();
});

/** The whole of an error's body: a code in words, and a message. */
function expectVideoError({ status, headers, json }: Answer, wanted: number, code: string): void {
  expect([status, json]).toEqual([wanted, { error: { code, message: expect.stringMatching(/\S/) } }]);
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("x-request-id")).toMatch(/^req_/);
}

const unknown = "VTK-01M7YM992JH0CDFCJ4D2GS02QE";

describe("a task of others", () => {
  test("is not there: neither to be seen nor to be cancelled, and in no list", async () => {
    const alpha = await rich.withKey({ project: "alpha" });
    const task = await alpha.create("Something stuck.");
    const organizationWide = rich.client;
    const others = [(await buyer(gateway)).client, await rich.withKey({ project: "beta" })];
    for (const client of others) {
      expectVideoError(await client.ask("GET", `/${task}`), 404, "NOT_FOUND");
      expectVideoError(await client.ask("DELETE", `/${task}`), 404, "NOT_FOUND");
      expect((await client.ask("GET", `?filter.task_ids=${task}`)).json).toEqual({ items: [], total: 0 });
    }
    expect((await alpha.ask("GET", "")).json).toMatchObject({ items: [{ id: task }], total: 1 });
    expect(await organizationWide.get(task)).toMatchObject({ id: task });
  });

  test.each([
    ["nobody's", unknown],
    ["no characters", "VTK-"],
    ["one too few", unknown.slice(0, -1)],
    ["small letters", unknown.toLowerCase()],
    ["a request's prefix", unknown.replace("VTK-", "req_")],
    ["the vendor's form", "cgt-20261121-abc"],
    ["a way up", "..%2F.."],
    ["a zero byte", "%00"],
    ["a slash", "a/b"],
    ["3,000 characters", "x".repeat(3000)],
  ])("with an id of %s is not found", async (_, id) => {
    for (const method of ["GET", "DELETE"])
      expectVideoError(await rich.client.ask(method, `/${id}`), 404, "NOT_FOUND");
  });
});

describe("a request", () => {
  const valid = JSON.stringify({ model: videoModel, content: [{ type: "text", text: "A cat." }] });
  test.each([
    ["no body", undefined],
    ["no JSON", "A cat, please."],
    ["no object", "[1]"],
    ["a field given twice", valid.replace("{", '{"duration":1,"duration":12,')],
    ["its model given twice", valid.replace("{", `{"model":"${permittedModel}",`)],
    ["a chat model", valid.replace(videoModel, "openai/gpt-5.4-mini")],
    ["no content", JSON.stringify({ model: videoModel })],
    ["a longer video than there is", valid.replace("{", '{"duration":13,')],
    ["a callback", valid.replace("{", '{"callback_url":"https://example.org",')],
  ])("with %s is refused", async (_, body) => {
    expectVideoError(await rich.client.ask("POST", "", body), 400, "INVALID_REQUEST");
  });

  test("with a model that is not there is not found", async () => {
    expectVideoError(
      await rich.client.ask("POST", "", nullFilled("A cat.", { model: "no/video" })),
      404,
      "NOT_FOUND",
    );
  });

  test("that is too large, by another method or without a key is refused alike", async () => {
    const { ask } = rich.client;
    expectVideoError(await ask("POST", "", nullFilled("x".repeat(5_600_000))), 413, "INVALID_REQUEST");
    for (const [method, suffix, allowed] of [
      ["PUT", "", "GET, POST"],
      ["DELETE", "", "GET, POST"],
      ["POST", `/${unknown}`, "DELETE, GET"],
    ] as const) {
      const refused = await ask(method, suffix, "{}");
      expectVideoError(refused, 405, "INVALID_REQUEST");
      expect(refused.headers.get("allow")?.split(", ").sort().join(", ")).toBe(allowed);
    }
    const stranger = videoClient(gateway, "sk-nobody");
    expectVideoError(await stranger.ask("POST", "", nullFilled("A cat.")), 401, "UNAUTHENTICATED");
  });

  test("without the balance for the longest it can be is refused; one that it covers is taken", async () => {
    const poor = await buyer(gateway, { points: "0.2331" });
    const refused = await poor.client.ask("POST", "", nullFilled("A cat.", { duration: 6 }));
    expectVideoError(refused, 402, "INSUFFICIENT_BALANCE");
    const task = await poor.client.create("It must fail.");
    await poor.client.until(task, "failed");
    expect(await poor.balance()).toBe("0.2331");
  });

  test("for a model that needs a permission is refused until organization and key have it", async () => {
    const { id, client, withKey } = await buyer(gateway);
    const order = nullFilled("A cat.", { model: permittedModel });
    expectVideoError(await client.ask("POST", "", order), 403, "PERMISSION_DENIED");
    expect((await operator(gateway, "org", "grant", id, "AVG_V2")).value).toMatchObject({
      permissions: ["AVG_V2"],
    });
    const manager = await withKey({ permissions: ["manage_keys"] });
    const key = async (permissions: string[]) => {
      const body = { name: "video", billing_mode: "payg", permissions };
      const { status, json } = await manager.post("/api/v1/keys", body);
      expect(status).toBe(200);
      return videoClient(gateway, String(json.key));
    };
    expectVideoError(await (await key([])).ask("POST", "", order), 403, "PERMISSION_DENIED");
    const allowed = await key(["AVG_V2"]);
    const task = await allowed.create("A cat.", { model: permittedModel });
    expect(await allowed.until(task)).toMatchObject({ status: "succeed", model: permittedModel });
  });
});

describe("a key's own limits", () => {
  test("of a minute count tasks as calls, also those that failed", async () => {
    const { withKey } = await buyer(gateway, { plan: "pro" });
    const client = await withKey({ limits: { rpm: 2 } });
    await client.until(await client.create("It must fail."), "failed");
    await client.create("Something stuck.");
    const refused = await client.ask("POST", "", nullFilled("A cat."));
    expectVideoError(refused, 429, "RATE_LIMITED");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("of calls in flight do not count tasks, which run far longer than a call", async () => {
    const client = await (await buyer(gateway)).withKey({ limits: { max_concurrency: 1 } });
    await client.create("Something stuck.");
    await client.until(await client.create("It must fail."), "failed");
  });
});

test("afterwards the operator sees the tasks that are still open, and the audit is clean", async () => {
  const open = (await operator(gateway, "task", "list")).value as unknown as { id: string }[];
  expect(open).toMatchObject([1, 2, 3].map(() => ({ submission: "submitted" })));
  const { value } = await operator(gateway, "holds");
  const holds = value as unknown as { request: string; state: string }[];
  expect(holds.map(({ request, state }) => [request, state])).toEqual(
    open.map(({ id }) => [id, "task"]).sort(),
  );
  await expectCleanAudit(gateway);
});
