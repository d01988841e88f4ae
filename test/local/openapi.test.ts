/**
 * The OpenAPI document against `npm start`. Every operation is asked without a key, and with a wrong one. Those with a
 * body are sent its example, and the same without each required field. They must answer as the document says.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import {
  documented,
  exampleOf,
  expectDocumented,
  faultsOf,
  type Operation,
  openApi,
} from "#test/support/openapi.ts";

let gateway: LocalGateway;
/** What stands in a path for its parameter, by the path's beginning. */
let values: Record<string, string> = {};

beforeAll(async () => {
  gateway = await startLocal();
  const { manager, payg } = gateway.keys;
  const made = await send("POST", "/api/v1/keys", manager, { billing_mode: "payg" });
  const { id: key } = (await made.json()) as { id: string };
  const called = operationAt("POST", "/v1/chat/completions");
  const answer = await send("POST", called.path, payg, exampleOf(called));
  const ordered = operationAt("POST", "/api/v3/contents/generations/tasks");
  const order = await send("POST", ordered.path, payg, exampleOf(ordered));
  const { id: task } = (await order.json()) as { id: string };
  values = {
    "/api/v1/keys/": key,
    "/api/v1/requests/": answer.headers.get("x-request-id") ?? "",
    "/api/v3/contents/": task,
    "/docs/": "none.js",
  };
});
afterAll(async () => {
  await gateway?.stop();
});

function operationAt(method: string, path: string): Operation {
  const found = documented.find((each) => each.method === method && each.path === path);
  if (!found) throw new Error(`the document has no ${method} ${path}`);
  return found;
}

/** The path and the required query of an operation, as a client would send them. */
function addressOf({ path, parameters }: Operation): string {
  const example = parameters.find((parameter) => parameter.in === "path")?.example;
  const own = Object.entries(values).find(([start]) => path.startsWith(start))?.[1];
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const given = query.map(({ name, schema }): [string, string] => {
    const { examples, enum: words } = schema as { examples?: string[]; enum?: string[] };
    return [name, (examples ?? words)?.[0] ?? ""];
  });
  const asked = new URLSearchParams(given);
  return (
    path.replace(/\{\w+\}/, own ?? example ?? "openai/gpt-5.4-mini") + (asked.size > 0 ? `?${asked}` : "")
  );
}

function send(method: string, path: string, key?: string, body?: unknown): Promise<Response> {
  return fetch(gateway.url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The example of an error, without the id of its request. */
function errorExample({ responses }: Operation, key: string): object {
  const [content] = Object.values(responses[401]?.content ?? {});
  const examples = content?.examples ?? {};
  return withoutId(examples[key]?.value ?? examples[`${key}_openai`]?.value);
}

const withoutId = (body: unknown): object => ({ ...(body as object), request_id: undefined });

const named = (all: readonly Operation[]) =>
  all.map((each) => [`${each.method} ${each.path}`, each] as const);
const keyed = documented.filter(({ security }) => security.length > 0);
const keyless = documented.filter(({ security }) => security.length === 0);

describe("a key is asked for", () => {
  test.each(named(keyed))("%s without one, and with a wrong one", async (_, operation) => {
    const body = exampleOf(operation);
    for (const [key, name] of [
      [undefined, "not_authenticated"],
      ["sk-payg-wrong", "invalid_key"],
    ] as const) {
      const response = await send(operation.method, addressOf(operation), key, body);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
      expect(withoutId(await expectDocumented(operation, response))).toEqual(errorExample(operation, name));
    }
  });

  test.each(named(keyless))("%s has none, and takes no notice of a wrong one", async (_, operation) => {
    const status = operation.path === "/docs/{file}" ? 404 : 200;
    for (const key of [undefined, "sk-payg-wrong"]) {
      const response = await send(operation.method, addressOf(operation), key);
      expect(response.status).toBe(status);
      await expectDocumented(operation, response);
    }
  });

  test("nothing else is open: no other method of these paths, and no other path", async () => {
    for (const path of ["/", "/health", "/openapi.json", "/docs", "/api/v1/models"]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
        expect([method, path, (await send(method, path)).status]).toEqual([method, path, 405]);
    }
    for (const path of [
      "/docs/",
      "/healthz",
      "/openapi.yaml",
      "/favicon.ico",
      "/api/v1/docs",
      "/pages/index.json",
    ])
      expect([path, (await send("GET", path)).status]).toEqual([path, 404]);
  });
});

describe("what the gateway answers by itself", () => {
  const own = keyed.filter(
    ({ method, ...operation }) => method === "GET" && operation["x-body"] === undefined,
  );

  test.each(named(own))("%s", async (_, operation) => {
    const key = operation.path.startsWith("/api/v3/contents") ? gateway.keys.payg : keyOf(operation);
    const response = await send("GET", addressOf(operation), key);
    expect(response.status).toBe(200);
    await expectDocumented(operation, response);
  });

  /** The call whose receipt is asked for is another organization's than the keys'. */
  const keyOf = ({ path }: Operation) =>
    path.startsWith("/api/v1/requests/") ? gateway.keys.payg : gateway.keys.manager;

  test("a key is made, and revoked", async () => {
    const create = operationAt("POST", "/api/v1/keys");
    const made = await send("POST", create.path, gateway.keys.manager, exampleOf(create));
    expect(made.status).toBe(200);
    const { id } = (await expectDocumented(create, made)) as { id: string };
    const revoke = operationAt("DELETE", "/api/v1/keys/{id}");
    const path = revoke.path.replace("{id}", id);
    await expectDocumented(revoke, await send("DELETE", path, gateway.keys.manager));
    const again = await send("DELETE", path, gateway.keys.manager);
    expect(again.status).toBe(404);
    await expectDocumented(revoke, again);
  });

  test("the cache is emptied, and feedback on an unknown call is refused", async () => {
    const empty = operationAt("DELETE", "/api/v1/cache");
    const emptied = await send("DELETE", empty.path, gateway.keys.manager);
    expect(emptied.status).toBe(200);
    await expectDocumented(empty, emptied);
    const feedback = operationAt("POST", "/api/v1/cache/feedback");
    const refused = await send("POST", feedback.path, gateway.keys.manager, exampleOf(feedback));
    expect(refused.status).toBe(404);
    await expectDocumented(feedback, refused);
  });

  test("the served document is the kept one", async () => {
    expect(await (await send("GET", "/openapi.json")).json()).toEqual(openApi);
  });
});

describe("what providers answer", () => {
  const called = documented.filter(
    ({ path, ...operation }) =>
      operation["x-body"] === "vendor" || path === "/api/v3/contents/generations/tasks",
  );
  const posted = called.filter(({ method }) => method === "POST");

  test.each(named(posted))("%s answers the example of its body", async (_, operation) => {
    const response = await send("POST", addressOf(operation), gateway.keys.payg, exampleOf(operation));
    expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
    await expectDocumented(operation, response);
  });

  test.each(named(posted))("%s refuses it without a required field", async (_, operation) => {
    const example = exampleOf(operation) ?? {};
    const { schema = {} } = operation.requestBody?.content["application/json"] ?? {};
    const required = Object.keys(example).filter(
      (name) => faultsOf(schema, { ...example, [name]: undefined }).length > 0 && name in example,
    );
    for (const name of required) {
      const { [name]: _left, ...rest } = example;
      const response = await send("POST", addressOf(operation), gateway.keys.payg, rest);
      expect([name, response.status]).toEqual([name, 400]);
      await expectDocumented(operation, response);
    }
    if (operation.path.includes("/chat/")) expect(required).toEqual(["model", "messages"]);
  });

  const streamed = posted.filter(
    ({ responses, path }) =>
      responses[200]?.content?.["text/event-stream"] !== undefined && !/images|streamGenerate/.test(path),
  );
  test.each(named(streamed))("%s streams it", async (_, operation) => {
    const body = { ...exampleOf(operation), stream: true };
    const response = await send("POST", addressOf(operation), gateway.keys.payg, body);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await expectDocumented(operation, response);
  });
});
