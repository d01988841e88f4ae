/** The client of the console's API in the browser: tokens, one refresh at a time, and what errors become. */
import { describe, expect, test } from "vitest";
import { createApi, type Environment, withQuery } from "../../console/api.ts";
import { noAnswer, type Problem } from "../../console/problem.ts";

interface Sent {
  path: string;
  token: string | undefined;
  body: unknown;
}

type Answer = (sent: Sent) => Response | Promise<Response>;

const refusal = (code: number, headers: Record<string, string> = {}, more: object = {}) =>
  new Response(JSON.stringify({ error: { type: "t", code, message: `refused with ${code}`, ...more } }), {
    status: Math.floor(code / 100),
    headers: { "x-request-id": "req_1", ...headers },
  });
const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });
const tokens = (access_token: string, expires_in = 600) => ({
  access_token,
  token_type: "Bearer",
  expires_in,
});

/** A client whose requests are answered by a function, with what it sent and told. */
function clientOver(answer: Answer, over: Partial<Environment> = {}) {
  const sent: Sent[] = [];
  const ended: Problem[] = [];
  const busy: number[] = [0];
  const clock = { now: 1_000_000 };
  const api = createApi({
    fetch: async (input, init) => {
      const headers = init?.headers as Record<string, string>;
      const asked = {
        path: String(input),
        token: headers.authorization,
        body: init?.body === undefined ? undefined : JSON.parse(String(init?.body)),
      };
      sent.push(asked);
      return await answer(asked);
    },
    alone: (act) => act(),
    now: () => clock.now,
    onBusy: (change) => busy.push((busy.at(-1) ?? 0) + change),
    onEnded: (why) => ended.push(why),
    ...over,
  });
  return { api, sent, ended, busy, clock, paths: () => sent.map(({ path }) => path) };
}

/** A server whose token `old` has ended, and that gives `new1`, `new2` and so on for the cookie. */
function sessionServer(): Answer {
  let given = 0;
  return ({ path, token }) => {
    if (path === "/api/v1/auth/refresh") return json(tokens(`new${++given}`));
    return token === "Bearer old" ? refusal(40103) : json({ token });
  };
}

describe("a session that ended while it was used", () => {
  test("twenty calls at once refresh once, and all are answered", async () => {
    const { api, paths } = clientOver(sessionServer());
    api.take(tokens("old"));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => api.get(`/api/v1/keys?n=${at}`)));
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ token: "Bearer new1" })));
    expect(paths().filter((path) => path === "/api/v1/auth/refresh")).toHaveLength(1);
  });

  test("a call that comes back late uses the token that another one got meanwhile", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const server = sessionServer();
    const { api, paths } = clientOver(async (sent) => {
      if (sent.path === "/slow" && sent.token === "Bearer old") await gate;
      return await server(sent);
    });
    api.take(tokens("old"));
    const slow = api.get("/slow");
    await api.get("/quick");
    open();
    expect(await slow).toEqual({ token: "Bearer new1" });
    expect(paths().filter((path) => path === "/api/v1/auth/refresh")).toHaveLength(1);
  });

  test("the refresh runs alone in all tabs", async () => {
    const order: string[] = [];
    const alone: Environment["alone"] = async (act) => {
      order.push("in");
      const value = await act();
      order.push("out");
      return value;
    };
    const { api } = clientOver(sessionServer(), { alone });
    api.take(tokens("old"));
    await api.get("/api/v1/keys");
    expect(order).toEqual(["in", "out"]);
  });

  test("is renewed before it ends, so that the call itself is sent once", async () => {
    const { api, paths, clock } = clientOver(sessionServer());
    api.take(tokens("fresh", 600));
    clock.now += 590_000;
    await api.get("/api/v1/keys");
    expect(paths()).toEqual(["/api/v1/auth/refresh", "/api/v1/keys"]);
  });

  test.each([40103, 40110])("ends with %i where the refresh is refused", async (code) => {
    const { api, ended } = clientOver(({ path }) =>
      path === "/api/v1/auth/refresh" ? refusal(code) : refusal(40103),
    );
    api.take(tokens("old"));
    await expect(api.get("/api/v1/keys")).rejects.toMatchObject({ code });
    expect(ended).toMatchObject([{ code }]);
  });

  test.each([
    ["the server fails", () => refusal(50000), 50000],
    ["the network is gone", () => Promise.reject(new TypeError("failed to fetch")), noAnswer.offline],
  ])("goes on where %s", async (_, answer, code) => {
    const { api, ended } = clientOver(({ path }) =>
      path === "/api/v1/auth/refresh" ? answer() : refusal(40103),
    );
    api.take(tokens("old"));
    await expect(api.get("/api/v1/keys")).rejects.toMatchObject({ code });
    expect(ended).toEqual([]);
  });

  test("a call that is refused again is not sent a third time", async () => {
    const { api, paths } = clientOver(({ path }) =>
      path === "/api/v1/auth/refresh" ? json(tokens("new")) : refusal(40103),
    );
    api.take(tokens("old"));
    await expect(api.get("/api/v1/keys")).rejects.toMatchObject({ code: 40103 });
    expect(paths()).toEqual(["/api/v1/keys", "/api/v1/auth/refresh", "/api/v1/keys"]);
  });
});

test("nobody is refreshed who never signed in: a wrong code stays a wrong code", async () => {
  const { api, paths } = clientOver(() => refusal(40111));
  await expect(api.post("/api/v1/auth/sign-in", { code: "1" })).rejects.toMatchObject({ code: 40111 });
  expect(paths()).toEqual(["/api/v1/auth/sign-in"]);
});

test("the organization that was switched to stays the one that is refreshed, until the sign-out", async () => {
  const { api, sent } = clientOver(sessionServer());
  await api.refresh("org_2");
  await api.refresh();
  api.drop();
  expect(api.hasToken()).toBe(false);
  await api.refresh();
  expect(sent.map(({ body }) => body)).toEqual([{ organization: "org_2" }, { organization: "org_2" }, {}]);
});

describe("answers", () => {
  test("204 is undefined, and CSV is text", async () => {
    const { api } = clientOver(({ path }) =>
      path === "/csv" ? new Response("a,b\n") : new Response(null, { status: 204 }),
    );
    expect(await api.remove("/api/v1/keys/1")).toBeUndefined();
    expect(await api.text("/csv")).toBe("a,b\n");
  });

  test("an error says its code, field, wait, proof of work and request", async () => {
    const human = { challenge: "c", bits: 18 };
    const { api } = clientOver(() => refusal(40000, { "retry-after": "7" }, { param: "phone", human }));
    await expect(api.post("/x", {})).rejects.toMatchObject({
      ...{ code: 40000, status: 400, param: "phone", retryAfter: 7, requestId: "req_1", human },
      message: "refused with 40000",
    });
  });

  test.each([
    ["a page of a proxy", new Response("<h1>Bad gateway</h1>", { status: 502 }), 50200],
    ["an empty one", new Response("", { status: 500 }), 50000],
  ])("%s is a problem too", async (_, response, code) => {
    const { api } = clientOver(() => response);
    await expect(api.get("/x")).rejects.toMatchObject({ code });
  });

  test("calls that the reader waits for are counted, also those that fail", async () => {
    const { api, busy } = clientOver(({ path }) => (path === "/bad" ? refusal(50000) : json({})));
    await Promise.allSettled([api.get("/good"), api.get("/bad"), api.get("/poll", { isQuiet: true })]);
    expect(busy.at(-1)).toBe(0);
    expect(Math.max(...busy)).toBe(2);
  });
});

test("a query has the parameters that have a value", () => {
  expect(withQuery("/a", { b: "x y", c: undefined, d: "", e: 0 })).toBe("/a?b=x+y&e=0");
  expect(withQuery("/a", { b: undefined })).toBe("/a");
});
