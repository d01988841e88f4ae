/** The report routes over the real stores: their parameters, whom they show what, and how they say no. */
import { beforeAll, describe, expect, test } from "vitest";
import type { KeyRecord } from "#shared/billing/account.ts";
import { parsePoints } from "#shared/billing/points.ts";
import { noUsage } from "#shared/billing/usage.ts";
import type { UsageEvent } from "#shared/billing/usage-event.ts";
import { createPipeline, type Pipeline } from "#shared/gateway/pipeline.ts";
import { limits } from "#shared/limits.ts";
import { newId } from "#shared/platform/id.ts";
import { localAnswers } from "../functions/local-answers.ts";
import { type Answer, call } from "./support/call.ts";
import { createMemory, testCatalog } from "./support/memory.ts";
import { eventOf, walletHold } from "./support/store.ts";
import { useStores } from "./support/stores.ts";

const { accounts, ledger, meters } = useStores();

const now = Date.parse("2026-11-21T12:30:00Z");
const organization = newId("organization", now);
let serve: Pipeline;
const ids: Record<string, string> = {};
const secrets: Record<string, string> = {};

type Item = { calls: number; cost_points: string } & Record<string, string | number | null>;
interface Report {
  from: string;
  to: string;
  project_id: string;
  group_by: string[];
  groups: Item[];
  by_model: Item[];
  totals: Item;
}

beforeAll(async () => {
  const memory = createMemory(testCatalog("http://127.0.0.1:9"));
  for (const [name, project] of [
    ["whole", ""],
    ["alpha", "alpha"],
    ["beta", "beta"],
  ] as const) {
    const change: Partial<KeyRecord> = { id: newId("key", now), organization, project, name };
    if (project === "") change.permissions = ["manage_keys"];
    secrets[name] = memory.addKey(change, { id: organization, wallet: null });
    ids[name] = change.id ?? "";
    const hash = newId("request", now);
    const record = {
      mode: "payg",
      limits: null,
      status: "active",
      last_four: `…${name}`,
      permissions: [],
    } as const;
    await accounts.createKey({
      ...record,
      ...change,
      hash,
      created_at: now,
      expires_at: null,
    } as unknown as KeyRecord);
  }
  const deps = {
    ...memory.deps,
    accounts: { ...accounts, findPrincipal: memory.deps.accounts.findPrincipal },
    ledger,
    meters,
  };
  serve = createPipeline(deps, localAnswers(deps as unknown as Parameters<typeof localAnswers>[0]));
  await ledger.record([
    event("whole", "1", { user: "u-1" }, -2 * 3_600_000),
    event("alpha", "2", { user: "u-1" }, -3_600_000),
    event("alpha", "0.5", { model: "test/embedding-1" }),
    event("beta", "4", { user: "u-2" }),
    event("beta", "0", { usage: noUsage, list_points: "0", calls: 0, outcome: "failed" }),
  ]);
});

function event(key: string, cost: string, change: Partial<UsageEvent>, offset = 0): UsageEvent {
  const hold = walletHold("mtr_1", cost, now - 60_000 + offset, ids[key]);
  const project = key === "whole" ? "" : key;
  return eventOf(hold, cost, { organization, project, model: "test/model-1", ...change });
}

function get(path: string, key: string): Promise<Answer> {
  return call(serve, path, { method: "GET", headers: { authorization: `Bearer ${secrets[key]}` }, at: now });
}

const wide = "from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z";
const usage = (key: string, query: string) => get(`/api/business/v1/customer/usage?${wide}&${query}`, key);
const reportOf = async (key: string, query: string) => (await usage(key, query)).json() as unknown as Report;

describe("project_id", () => {
  test("narrows an organization's key to one project, on both reports", async () => {
    const report = await reportOf("whole", "project_id=alpha");
    expect(report).toMatchObject({ project_id: "alpha", totals: { calls: 2, cost_points: "2.5" } });
    expect(await reportOf("whole", "project_id=")).toMatchObject({ project_id: "", totals: { calls: 4 } });
    expect(await reportOf("whole", "project_id=none")).toMatchObject({ totals: { calls: 0 } });
    const period = await get("/api/v1/usage?period=today&project_id=beta", "whole");
    expect(period.json()).toMatchObject({ project_id: "beta", totals: { calls: 1, cost_points: "4" } });
  });

  test("of a project's key may be its own and no other, nor the organization's", async () => {
    expect(await reportOf("alpha", "project_id=alpha")).toMatchObject({ totals: { cost_points: "2.5" } });
    for (const other of ["beta", "none", ""]) {
      const refused = await usage("alpha", `project_id=${other}`);
      expect([refused.status, refused.json()]).toMatchObject([
        403,
        { status: 403, errors: [{ code: 40300 }] },
      ]);
      for (const path of ["/api/v1/usage?period=today&", "/api/v1/calls?"]) {
        const answer = await get(`${path}project_id=${other}`, "alpha");
        expect([answer.status, answer.json()]).toMatchObject([403, { error: { code: 40300 } }]);
      }
    }
  });
});

describe("group_by", () => {
  const groups = async (key: string, query: string, ...fields: string[]) =>
    (await reportOf(key, query)).groups.map((group) => [
      ...fields.map((field) => group[field]),
      group.cost_points,
    ]);

  test("without it a report is what it was", async () => {
    expect(Object.keys(await reportOf("whole", ""))).toEqual([
      "from",
      "to",
      "project_id",
      "by_model",
      "totals",
    ]);
  });

  test("splits by one dimension or by several, the dearest first and in order of time", async () => {
    const shown = ["key", "key_name", "key_last_four"];
    expect(await groups("whole", "group_by=key", ...shown)).toEqual([
      [ids["beta"], "beta", "…beta", "4"],
      [ids["alpha"], "alpha", "…alpha", "2.5"],
      [ids["whole"], "whole", "…whole", "1"],
    ]);
    expect(await groups("whole", "group_by=project", "project")).toEqual([
      ["beta", "4"],
      ["alpha", "2.5"],
      ["", "1"],
    ]);
    expect(await groups("whole", "group_by=user", "user")).toEqual([
      ["u-2", "4"],
      ["u-1", "3"],
      [null, "0.5"],
    ]);
    expect(await groups("whole", "group_by=hour", "hour")).toEqual([
      ["2026-11-21T10:00:00.000Z", "1"],
      ["2026-11-21T11:00:00.000Z", "2"],
      ["2026-11-21T12:00:00.000Z", "4.5"],
    ]);
    expect(await groups("whole", "group_by=day", "day")).toEqual([["2026-11-21", "7.5"]]);
    expect(await groups("whole", "group_by=day,project,model", "day", "project", "model")).toEqual([
      ["2026-11-21", "beta", "test/model-1", "4"],
      ["2026-11-21", "alpha", "test/model-1", "2"],
      ["2026-11-21", "", "test/model-1", "1"],
      ["2026-11-21", "alpha", "test/embedding-1", "0.5"],
    ]);
  });

  test("shows a project's key its own project", async () => {
    expect(await groups("alpha", "group_by=key,user", "key", "user")).toEqual([
      [ids["alpha"], "u-1", "2"],
      [ids["alpha"], null, "0.5"],
    ]);
  });

  test.each(["model", "project", "key", "user", "hour", "key,user,hour"])(
    "%s adds up to the totals, and leaves by_model as it is",
    async (dimension) => {
      const report = await reportOf("whole", `group_by=${dimension}`);
      const { by_model, totals } = await reportOf("whole", "");
      expect(report).toMatchObject({ by_model, totals, group_by: dimension.split(",") });
      expect(report.groups.reduce((sum, { cost_points }) => sum + parsePoints(cost_points), 0n)).toBe(
        parsePoints(totals.cost_points),
      );
      expect(report.groups.reduce((sum, { calls }) => sum + calls, 0)).toBe(totals.calls);
    },
  );

  test.each(["", "none", "key,key", "day,hour", "key,", "Key", "key model"])("%j is 40000", async (given) => {
    const answer = await usage("whole", `group_by=${encodeURIComponent(given)}`);
    expect(answer.json()).toMatchObject({
      status: 400,
      errors: [{ location: "query.group_by", code: 40000 }],
    });
  });

  test.each([
    ["user", 31],
    ["hour", 31],
    ["day", 366],
  ])("by %s a range is at most %i days", async (dimension, days) => {
    const query = (length: number) =>
      new URLSearchParams({
        from: new Date(now - length).toISOString(),
        to: new Date(now).toISOString(),
        group_by: dimension,
      });
    const most = days * 86_400_000;
    expect((await get(`/api/business/v1/customer/usage?${query(most)}`, "whole")).status).toBe(200);
    const refused = await get(`/api/business/v1/customer/usage?${query(most + 1)}`, "whole");
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`${days} days`);
  });

  test("of more groups or entries than a report may have is refused, not cut off", async () => {
    const bounds = limits as { reportGroupsMax: number; reportEntriesMax: number };
    const { reportGroupsMax, reportEntriesMax } = bounds;
    try {
      bounds.reportGroupsMax = 2;
      const refused = await usage("whole", "group_by=key");
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("more than 2 groups")]);
      expect((await usage("whole", "group_by=user")).status).toBe(400);
      expect((await usage("alpha", "group_by=key")).status).toBe(200);
      bounds.reportGroupsMax = reportGroupsMax;
      // The call that failed is an entry too, though no rollup counts it.
      bounds.reportEntriesMax = 4;
      const long = await usage("whole", "group_by=user");
      expect([long.status, long.text]).toEqual([400, expect.stringContaining("shorter range")]);
      expect((await usage("whole", "group_by=key")).status).toBe(200);
    } finally {
      Object.assign(bounds, { reportGroupsMax, reportEntriesMax });
    }
  });
});

const routes = [
  ["/api/business/v1/customer/usage", wide],
  ["/api/business/v1/customer/balance", ""],
  ["/api/v1/usage", "period=today"],
  ["/api/v1/keys", "limit=10"],
  ["/api/v1/calls", "limit=10"],
] as const;

describe.each(routes)("%s", (path, query) => {
  const codeOf = (answer: Answer) => {
    const body = answer.json() as { error?: { code: number }; errors?: { code: number }[] };
    return [answer.status, body.error?.code ?? body.errors?.[0]?.code];
  };

  test("takes its own parameters", async () => {
    expect((await get(`${path}?${query}`, "whole")).status).toBe(200);
  });

  test.each([
    "format=csv",
    "From=2026-11-21T00:00:00Z",
    "key=x",
    "toString=1",
    "__proto__=1",
    "=1",
    "constructor",
  ])("refuses the unknown %s", async (unknown) => {
    expect(codeOf(await get(`${path}?${query}&${unknown}`, "whole"))).toEqual([400, 40000]);
  });

  test("refuses a parameter that is given twice, also with the same value", async () => {
    const twice = query === "" ? "limit=1&limit=1" : `${query}&${query.split("&")[0]}`;
    expect(codeOf(await get(`${path}?${twice}`, "whole"))).toEqual([400, 40000]);
  });

  test.each([
    ["no key", {}, 40100, 'Bearer realm="model-gateway"'],
    [
      "a wrong key",
      { "x-api-key": "sk-wrong" },
      40101,
      'Bearer realm="model-gateway", error="invalid_token"',
    ],
  ])("says to %s how to authenticate", async (_, headers, code, challenge) => {
    const answer = await call(serve, `${path}?${query}`, { method: "GET", headers });
    expect(codeOf(answer)).toEqual([401, code]);
    expect(answer.headers["www-authenticate"]).toBe(challenge);
  });
});

describe("problems", () => {
  test("name every parameter that is wrong with its place and what it must be", async () => {
    const answer = await get(
      "/api/business/v1/customer/usage?from=x&group_by=y&project_id=a%23b&a=1&a=2",
      "whole",
    );
    const { detail, errors } = answer.json() as {
      detail: string;
      errors: { location: string; message: string }[];
    };
    expect(errors.map(({ location }) => location).sort()).toEqual(
      ["a", "from", "group_by", "project_id", "to"].map((name) => `query.${name}`),
    );
    for (const { message } of errors) expect(detail).toContain(message);
  });

  test("tell back neither a long name at its length nor more faults than twenty", async () => {
    const many = Array.from({ length: 50 }, (_, i) => `${"x".repeat(1000)}${i}=1`).join("&");
    const answer = await get(`/api/business/v1/customer/balance?${many}`, "whole");
    expect((answer.json()["errors"] as object[]).length).toBe(20);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test("of the whole request have no place", async () => {
    const answer = await call(serve, "/api/business/v1/customer/balance", { method: "GET" });
    expect(Object.keys((answer.json()["errors"] as object[])[0] ?? {})).toEqual(["message", "code", "type"]);
  });
});

describe("the ends of time", () => {
  test.each([
    [
      "9999-12-31T22:30:00Z",
      "9999-12-31T23:30:00-05:00",
      "9999-12-31T22:30:00.000Z",
      "9999-12-31T04:31:00.000-23:59",
    ],
    [
      "0000-01-01T00:00:00%2B23:00",
      "0000-01-01T01:00:00Z",
      "0000-01-01T00:59:00.000+23:59",
      "0000-01-01T01:00:00.000Z",
    ],
  ])("from %s to %s is answered in RFC 3339, at the same instants", async (from, to, first, last) => {
    const answer = await get(`/api/business/v1/customer/usage?from=${from}&to=${to}`, "whole");
    expect(answer.json()).toMatchObject({ from: first, to: last, by_model: [], totals: { calls: 0 } });
    const again = await get(
      `/api/business/v1/customer/usage?${new URLSearchParams({ from: first, to: last })}`,
      "whole",
    );
    expect(again.json()).toEqual(answer.json());
    for (const dimension of ["user", "hour", "day"]) {
      const path = `/api/business/v1/customer/usage?from=${from}&to=${to}&group_by=${dimension}`;
      expect((await get(path, "whole")).json()).toMatchObject({ groups: [] });
    }
    expect((await get(`/api/v1/calls?from=${from}&to=${to}`, "whole")).json()).toMatchObject({ data: [] });
  });
});
