/**
 * The parameters of the report routes, and how these say no: every fault with its place, in RFC 3339, with a challenge.
 */
import { describe, expect, test } from "vitest";
import { type Answer, call } from "#test/support/call.ts";
import { useReports, wide } from "#test/support/report-routes.ts";

const reports = useReports();
const { get } = reports;

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
    // Of these lists, the calls alone come as CSV.
    path === "/api/v1/calls" ? "format=xml" : "format=csv",
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
    const answer = await call(reports.serve, `${path}?${query}`, { method: "GET", headers });
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
    expect((answer.json().errors as object[]).length).toBe(20);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test("of the whole request have no place", async () => {
    const answer = await call(reports.serve, "/api/business/v1/customer/balance", { method: "GET" });
    expect(Object.keys((answer.json().errors as object[])[0] ?? {})).toEqual(["message", "code", "type"]);
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
