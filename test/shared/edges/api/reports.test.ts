/** Reports of a project and by what finance splits on, over the real stores: whom they show what. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { now, type Report, useReports, wide } from "#test/support/report-routes.ts";

const { ids, get } = useReports();
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
      [ids.beta, "beta", "…beta", "4"],
      [ids.alpha, "alpha", "…alpha", "2.5"],
      [ids.whole, "whole", "…whole", "1"],
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
    expect(await groups("whole", "group_by=tag:team", "tag")).toEqual([
      ["ads", "4"],
      ["search", "3"],
      [null, "0.5"],
    ]);
    expect(await groups("whole", "group_by=tag:feature,project", "tag", "project")).toEqual([
      [null, "beta", "4"],
      [null, "alpha", "2.5"],
      ["rag", "", "1"],
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
      [ids.alpha, "u-1", "2"],
      [ids.alpha, null, "0.5"],
    ]);
  });

  test.each([
    "model",
    "project",
    "key",
    "user",
    "hour",
    "key,user,hour",
    "tag:team",
    "tag:nobody",
    "day,tag:team,user",
  ])("%s adds up to the totals, and leaves by_model as it is", async (dimension) => {
    const report = await reportOf("whole", `group_by=${dimension}`);
    const { by_model, totals } = await reportOf("whole", "");
    expect(report).toMatchObject({ by_model, totals, group_by: dimension.split(",") });
    expect(report.groups.reduce((sum, { cost_points }) => sum + parsePoints(cost_points), 0n)).toBe(
      parsePoints(totals.cost_points),
    );
    expect(report.groups.reduce((sum, { calls }) => sum + calls, 0)).toBe(totals.calls);
  });

  test.each([
    ...["", "none", "key,key", "day,hour", "key,", "Key", "key model"],
    ...["tag", "tag:", "tag:Team", "tag:user", "tag:a=b", "tag:a,tag:b", `tag:${"a".repeat(33)}`],
  ])("%j is 40000", async (given) => {
    const answer = await usage("whole", `group_by=${encodeURIComponent(given)}`);
    expect(answer.json()).toMatchObject({
      status: 400,
      errors: [{ location: "query.group_by", code: 40000 }],
    });
  });

  test.each([
    ["user", 31],
    ["tag:team", 31],
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
      expect((await usage("whole", "group_by=tag:team")).status).toBe(400);
      const long = await usage("whole", "group_by=user");
      expect([long.status, long.text]).toEqual([400, expect.stringContaining("shorter range")]);
      expect((await usage("whole", "group_by=key")).status).toBe(200);
    } finally {
      Object.assign(bounds, { reportGroupsMax, reportEntriesMax });
    }
  });
});
