/** What the operators' pages ask, what they keep, and what they make of what somebody types. */
import { describe, expect, test } from "vitest";
import { operatorPages } from "#infra/bundles/console-pages.ts";
import { createOperatorClient } from "../../console/operators/client.ts";
import { creditBody, isReference, isSignedPoints } from "../../console/operators/credit-form.ts";
import { rowsWith } from "../../console/operators/rows-with.ts";
import { pageAt } from "../../console/page.ts";
import type { Problem } from "../../console/problem.ts";

interface Sent {
  method: string | undefined;
  path: string;
  headers: Record<string, string>;
  credentials: string | undefined;
  body: unknown;
}

/** A client, what it has sent, and why it has ended. `answer` gives status and body, by path. */
function clientOf(answer: (sent: Sent) => [status: number, body: object] | Promise<[number, object]>) {
  const sent: Sent[] = [];
  const ended: Problem[] = [];
  let busy = 0;
  const client = createOperatorClient({
    fetch: async (path, init = {}) => {
      const { method, credentials, body } = init;
      const headers = init.headers as Record<string, string>;
      const one = {
        method,
        path: String(path),
        headers,
        credentials,
        body: body && JSON.parse(String(body)),
      };
      sent.push(one);
      const [status, reply] = await answer(one);
      return Response.json(reply, { status });
    },
    onBusy: (change) => {
      busy += change;
    },
    onEnded: (why) => ended.push(why),
  });
  return { client, sent, ended, busy: () => busy };
}

const token = { id: "adt_1", name: "Ann", scopes: "finance" };
const refusal = { error: { code: 40100, message: "No token in force was given." } };
const list = "/api/admin/v1/proposals";
const credits = "/api/admin/v1/organizations/org_1/credits";
const credit = { points: "5", reference: "t-1", reason: "an outage" };

describe("the client", () => {
  test("sends no cookie, and the token from its sign-in to its sign-out", async () => {
    const { client, sent, busy } = clientOf(() => [200, token]);
    expect(await client.signIn("gwadmin_a")).toEqual(token);
    await client.get<"list_proposals">(list);
    client.signOut();
    await client.get<"list_proposals">(list);
    expect(sent.map(({ credentials }) => credentials)).toEqual(["omit", "omit", "omit"]);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([
      ...["Bearer gwadmin_a", "Bearer gwadmin_a"],
      undefined,
    ]);
    expect(busy()).toBe(0);
  });

  test("keeps no token that is refused, and tells nobody that a session has ended", async () => {
    const { client, sent, ended } = clientOf(({ headers }) =>
      headers.authorization === "Bearer good" ? [200, token] : [401, refusal],
    );
    await expect(client.signIn("bad")).rejects.toMatchObject({ code: 40100 });
    expect(ended).toEqual([]);
    await client.signIn("good");
    await expect(client.signIn("bad")).rejects.toMatchObject({ code: 40100 });
    await client.get<"list_proposals">(list);
    expect(sent.at(-1)?.headers.authorization).toBe("Bearer good");
  });

  test("ends with the first 401 of its token, and sends it no more", async () => {
    let isOver = false;
    const { client, sent, ended } = clientOf(() => (isOver ? [401, refusal] : [200, token]));
    await client.signIn("gwadmin_a");
    isOver = true;
    await expect(client.get<"list_proposals">(list)).rejects.toMatchObject({ code: 40100 });
    expect(ended.map(({ code }) => code)).toEqual([40100]);
    await expect(client.get<"list_proposals">(list)).rejects.toMatchObject({ code: 40100 });
    expect(sent.at(-1)?.headers.authorization).toBeUndefined();
  });

  test("does not end a token by the late 401 of the one before", async () => {
    const late = Promise.withResolvers<[number, object]>();
    const { client, sent, ended } = clientOf(({ path, headers }) =>
      path === list && headers.authorization === "Bearer one" ? late.promise : [200, token],
    );
    await client.signIn("one");
    const first = client.get<"list_proposals">(list);
    client.signOut();
    await client.signIn("two");
    late.resolve([401, refusal]);
    await expect(first).rejects.toMatchObject({ code: 40100 });
    expect(ended).toEqual([]);
    await client.get<"list_proposals">(list);
    expect(sent.at(-1)?.headers.authorization).toBe("Bearer two");
  });

  test("says that a dry run is one, and gives a write its key", async () => {
    const { client, sent } = clientOf(() => [200, { object: "dry_run", would: "book" }]);
    await client.foresee<"credit_organization">(credits, credit);
    await client.post<"credit_organization">(credits, credit, "key-1");
    expect(sent.map(({ path }) => path)).toEqual([`${credits}?dry_run=true`, credits]);
    expect(sent.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined, "key-1"]);
    expect(sent.map(({ body }) => body)).toEqual([credit, credit]);
  });
});

describe("a credit", () => {
  test.each(["50", "-12.5", " 0.000001 ", "-0.1"])("%j is points", (text) => {
    expect(isSignedPoints(text)).toBe(true);
  });

  test.each(["", "0", "-0", "--5", "+5", "1e3", "5,0", "=1+1", "12 5"])("%j is no points", (text) => {
    expect(isSignedPoints(text)).toBe(false);
  });

  test("is booked under what the server takes, and no sheet reads as a formula", () => {
    expect(["ticket-4711", "a.b:c_d", "x".repeat(128)].map(isReference)).toEqual([true, true, true]);
    expect(["", "a b", "=1+1", "a/b", "x".repeat(129), "票"].map(isReference)).toEqual(Array(6).fill(false));
  });

  test("is sent with a kind only where one was chosen, and not at all where a field is wrong", () => {
    const form = { points: " 5 ", reference: "t-1", kind: "" } as const;
    expect(creditBody(form, "an outage")).toEqual(credit);
    expect(creditBody({ ...form, kind: "promotional" }, "r")).toMatchObject({ kind: "promotional" });
    expect(creditBody({ ...form, points: "five" }, "r")).toBeUndefined();
    expect(creditBody({ ...form, reference: "" }, "r")).toBeUndefined();
  });
});

test("a row is found by every word that somebody writes, in any of its names", () => {
  const rows = [
    ["openai/gpt-5.4", "azure"],
    ["openai/gpt-5.4", "openai"],
    ["zhipu/glm", "zhipu"],
  ];
  const found = (text: string) => rowsWith(text, rows, (names) => names).map((names) => rows.indexOf(names));
  expect(found("")).toEqual([0, 1, 2]);
  expect(found(" GPT  azure ")).toEqual([0]);
  expect(found("gpt zhipu")).toEqual([]);
});

test("every path of operators leads to its page, whatever follows", () => {
  const pages = operatorPages()
    .map(([name, page]) => ({ group: "operators" as const, name, page }))
    .toSorted((one, other) => other.page.path.length - one.page.path.length);
  expect(pages.length).toBeGreaterThan(5);
  for (const { name, page } of pages) {
    expect(pageAt(pages, page.path)).toMatchObject({ name, rest: "" });
    expect(page.path).toMatch(/^\/operators(?:\/|$)/);
  }
  expect(pageAt(pages, "/operators/customers/org_1")).toMatchObject({ name: "customers", rest: "org_1" });
  expect(pageAt(pages, "/operatorsx")).toBeUndefined();
  expect(pageAt(pages, "/")).toBeUndefined();
});
