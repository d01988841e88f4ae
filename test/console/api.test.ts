/** The client of the console's API in the browser: tokens, one refresh at a time, and what errors become. */
import { describe, expect, test } from "vitest";
import { createApi, type Environment, withQuery } from "../../console/api.ts";
import type { Account } from "../../console/api-types.ts";
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
const tokens = (access_token: string, organization = "org_1", user = "usr_1") => ({
  ...{ access_token, token_type: "Bearer" as const, expires_in: 600 },
  ...{ user: { id: user }, organization: { id: organization } },
});

interface LooseApi extends Omit<ReturnType<typeof createApi>, "get" | "post" | "remove" | "text"> {
  get(path: string, asked?: object): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  remove(path: string): Promise<unknown>;
  text(path: string): Promise<string>;
}

/** A client whose requests are answered by a function, with what it sent and told. */
function clientOver(answer: Answer, over: Partial<Environment> = {}) {
  const sent: Sent[] = [];
  const ended: Problem[] = [];
  const moved: Account[] = [];
  const busy: number[] = [0];
  const clock = { now: 1_000_000 };
  const client = createApi({
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
    onMoved: (account) => moved.push(account),
    onEnded: (why) => ended.push(why),
    ...over,
  });
  // What is asked here, and answered, is no operation's.
  const api = client as unknown as LooseApi;
  return { api, sent, ended, moved, busy, clock, paths: () => sent.map(({ path }) => path) };
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
    api.take(tokens("fresh"));
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

describe("a tab among others of the same session", () => {
  /** A server of one session. It gives the organization that a refresh asks for, or else the one that was asked for last. */
  function sharedSession(members: string[], over: Partial<Record<string, Answer>> = {}): Answer {
    let given = 0;
    let last = members.at(-1) ?? "";
    return (sent) => {
      const { path, token, body } = sent;
      const own = over[path]?.(sent);
      if (own) return own;
      if (path !== "/api/v1/auth/refresh") return token === "Bearer old" ? refusal(40103) : json({ token });
      const wanted = (body as { organization?: string }).organization ?? last;
      if (!members.includes(wanted)) return refusal(40300);
      last = wanted;
      return json(tokens(`${last}-${++given}`, last));
    };
  }
  const refreshes = (sent: Sent[]) =>
    sent.filter(({ path }) => path === "/api/v1/auth/refresh").map(({ body }) => body);

  test("goes on in the organization that it shows, whatever another tab changed to", async () => {
    const { api, sent, moved } = clientOver(sharedSession(["org_1", "org_2"]));
    api.take(tokens("old", "org_1"));
    expect(await api.post("/api/v1/recharges", {})).toEqual({ token: "Bearer org_1-1" });
    expect(refreshes(sent)).toEqual([{ organization: "org_1" }]);
    expect(moved).toEqual([]);
  });

  test("reads the account before it shows the session's last organization, and stays there", async () => {
    const { api, sent, moved } = clientOver(sharedSession(["org_1", "org_2"]));
    await api.refresh();
    expect(moved).toEqual([{ token: "Bearer org_2-1" }]);
    await api.refresh();
    expect(moved).toHaveLength(1);
    api.drop();
    expect(api.hasToken()).toBe(false);
    await api.refresh();
    expect(refreshes(sent)).toEqual([{}, { organization: "org_2" }, {}]);
  });

  test.each([
    ["which the user was removed from", tokens("old", "org_gone"), sharedSession(["org_2"])],
    ["whose user is another one now", tokens("old", "org_1", "usr_2"), sharedSession(["org_1"])],
  ])("does not send a payment for an organization %s, and shows the next one", async (_, before, server) => {
    const { api, moved, paths, ended } = clientOver(server);
    api.take(before);
    await expect(api.post("/api/v1/recharges", {})).rejects.toMatchObject({ code: noAnswer.moved });
    expect(paths().filter((path) => path === "/api/v1/recharges")).toHaveLength(1);
    expect(moved).toHaveLength(1);
    expect(ended).toEqual([]);
    expect(await api.post("/api/v1/recharges", {})).toEqual(moved[0]);
  });

  test("ends where the user is no member of anything any more", async () => {
    const { api, ended } = clientOver(sharedSession([]));
    api.take(tokens("old"));
    await expect(api.get("/api/v1/keys")).rejects.toMatchObject({ code: 40300 });
    expect(ended).toMatchObject([{ code: 40300 }]);
  });

  test("changes its organization also while a refresh runs, and calls of before are not sent there", async () => {
    const { api, sent, moved } = clientOver(sharedSession(["org_1", "org_2"]));
    api.take(tokens("old", "org_1"));
    const call = api.post("/api/v1/recharges", {});
    const refreshed = api.refresh();
    const switched = api.refresh("org_2");
    await Promise.all([refreshed, switched]);
    expect(moved).toHaveLength(1);
    expect(refreshes(sent).at(-1)).toEqual({ organization: "org_2" });
    await call.catch((error: Problem) => expect(error.code).toBe(noAnswer.moved));
    for (const { path, token } of sent)
      if (path === "/api/v1/recharges") expect(token).not.toContain("org_2");
    expect(await api.get("/api/v1/keys")).toEqual({ token: expect.stringContaining("org_2") });
  });

  test.each([
    ["is refused", { "/api/v1/auth/refresh": () => refusal(40300) }],
    ["gives no account", { "/api/v1/account": () => refusal(50000) }],
  ] as [string, Partial<Record<string, Answer>>][])("stays where it is if a change %s", async (_, over) => {
    const { api, moved } = clientOver(sharedSession(["org_1", "org_2"], over));
    api.take(tokens("good", "org_1"));
    await expect(api.refresh("org_2")).rejects.toBeInstanceOf(Error);
    expect(await api.post("/api/v1/recharges", {})).toEqual({ token: "Bearer good" });
    expect(moved).toEqual([]);
  });

  test("an ordinary refresh does not fail with a change that is refused", async () => {
    const { api, ended } = clientOver(sharedSession(["org_1"]));
    api.take(tokens("good", "org_1"));
    const switched = api.refresh("org_2");
    const refreshed = api.refresh();
    await expect(switched).rejects.toMatchObject({ code: 40300 });
    await refreshed;
    expect(ended).toEqual([]);
  });
});

describe("answers", () => {
  test("204 is undefined, and CSV is text", async () => {
    const { api } = clientOver(({ path }) =>
      path === "/csv" ? new Response("a,b\n") : new Response(null, { status: 204 }),
    );
    expect(await api.remove("/api/v1/keys/1")).toBeUndefined();
    expect(await api.text("/csv")).toBe("a,b\n");
  });

  test("CSV in pages is one text: each page leads to the next one of the same route", async () => {
    const { api, paths } = clientOver(({ path }) => {
      const link = path.includes("after=2")
        ? {}
        : { link: `<?format=csv&after=${path.includes("after") ? 2 : 1}>; rel="next"` };
      return new Response(`${path}\n`, { headers: link });
    });
    const all = ["/calls?format=csv", "/calls?format=csv&after=1", "/calls?format=csv&after=2"];
    expect(await api.text("/calls?format=csv")).toBe(`${all.join("\n")}\n`);
    expect(paths()).toEqual(all);
  });

  test("an error says its code, field, wait, proof of work and request", async () => {
    const human = { challenge: "c", bits: 18 };
    const { api } = clientOver(() => refusal(40000, { "retry-after": "7" }, { reason: "phone", human }));
    await expect(api.post("/x", {})).rejects.toMatchObject({
      ...{ code: 40000, status: 400, reason: "phone", retryAfter: 7, requestId: "req_1", human },
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
