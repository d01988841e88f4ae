/** Whose request it is, by its head, on every route (calls/gateway/look.ts). */
import { describe, expect, test, vi } from "vitest";
import type { HttpRequest } from "#shared/base/http/message.ts";
import { routes } from "#shared/base/http/routes.ts";
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import type { SessionPorts } from "#shared/calls/access/sessions.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import { publicOperations } from "#shared/calls/gateway/local-answers.ts";
import { createLook } from "#shared/calls/gateway/look.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

/** A key of a known organization. */
const keyed = () => ({ "x-api-key": scenario.memory.addKey({}, { id: "org_1" }) });

/** Looks at a request without a body. */
async function look(
  method: string,
  path: string,
  headers: Record<string, string>,
  more: Partial<Deps> = {},
): Promise<string | undefined> {
  const request = { id: "req_1", method, path, query: new URLSearchParams(), headers };
  const found = await createLook({ ...scenario.memory.deps, ...more })(request as unknown as HttpRequest);
  if (typeof found !== "object") return found;
  expect(found.headers["x-request-id"]).toBe("req_1");
  return `${found.status} ${(JSON.parse(String(found.body)) as { error?: { code: unknown } }).error?.code}`;
}

const rows = routes.map(({ method, path, operation, client }) => ({
  method,
  path: path.replaceAll(/\{\w+\}/g, "some-1"),
  isOpen: operation === "page" || publicOperations.has(operation as never),
  headers: (client === "anthropic"
    ? { "anthropic-version": "2023-06-01" }
    : client
      ? { "x-goog-api-key": "" }
      : {}) as Record<string, string>,
}));

describe("a request", () => {
  test("is that of its key's organization on every route with keys, and nobody's on the others", async () => {
    const key = keyed();
    for (const { method, path, isOpen, headers } of rows) {
      const found = await look(method, path, { ...headers, ...key });
      expect([method, path, found]).toEqual([method, path, isOpen ? undefined : "org_1"]);
    }
  });

  test("without a good key is refused on every route with keys", async () => {
    for (const { method, path, isOpen, headers } of rows.filter((row) => !row.isOpen)) {
      const none = await look(method, path, headers);
      const wrong = await look(method, path, { ...headers, "x-api-key": "sk-payg-nobodys" });
      expect([path, none?.slice(0, 3), wrong?.slice(0, 3), isOpen]).toEqual([path, "401", "401", false]);
    }
  });

  test.each([
    ["POST", "/nowhere", "404"],
    ["POST", "/v1/models", "405"],
  ])("%s %s that is no route is answered", async (method, path, status) => {
    expect((await look(method, path, scenario.bearer()))?.slice(0, 3)).toBe(status);
  });

  test("of a frozen organization is refused", async () => {
    const key = scenario.memory.addKey({}, { status: "frozen" });
    expect(await look("POST", "/v1/chat/completions", { "x-api-key": key })).toBe("401 40102");
  });

  test("that cannot be looked at is our fault, and is told of", async () => {
    const accounts = {
      ...scenario.memory.deps.accounts,
      findPrincipal: () => Promise.reject(new Error("no")),
    };
    expect(await look("POST", "/v1/chat/completions", scenario.bearer(), { accounts })).toBe("500 50000");
    expect(scenario.memory.logs.map(({ event }) => event)).toContain("internal");
  });

  test("with a session is its organization's", async () => {
    const sessions = async () =>
      ({
        identify: async () => ({ organization: { id: "org_2" }, role: "owner" }),
      }) as unknown as SessionPorts;
    const headers = { authorization: "Bearer eyJh.eyJz.c2ln" };
    expect(await look("POST", "/api/v1/keys", headers, { sessions })).toBe("org_2");
    expect((await look("POST", "/v1/chat/completions", headers, { sessions }))?.slice(0, 3)).toBe("401");
  });
});

test("every route goes by a key that the process knows", async () => {
  const keys = new PrincipalCache();
  const key = keyed();
  await look("POST", "/v1/chat/completions", key, { keys });
  const find = vi.spyOn(scenario.memory.deps.accounts, "findPrincipal");
  for (const path of ["/v1/messages/count_tokens", "/api/v3/contents/generations/tasks", "/v1/responses"])
    expect(await look("POST", path, key, { keys })).toBe("org_1");
  expect(find).not.toHaveBeenCalled();
});
