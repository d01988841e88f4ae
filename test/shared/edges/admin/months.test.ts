/** Closed months over HTTP: as the commands show them, and as they were signed. */
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { openAdmin } from "#test/support/admin.ts";
import { closedWith } from "#test/support/closed-months.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

test("months are listed, the newest first, and one is shown with its signed text", async () => {
  const closes = createMonthCloses(db.aws, db.tables);
  const january = { month: "2026-01", counts_until: Date.parse("2026-02-03T00:00:00Z") };
  const first = closedWith(january, []);
  await closes.write(first, [], undefined);
  const february = { month: "2026-02", counts_until: Date.parse("2026-03-03T00:00:00Z"), previous: january };
  await closes.write(closedWith(february, [], first), [], first);
  const admin = openAdmin(db);
  const { token } = await admin.tokenOf(["read"]);
  const list = await admin.ask(token, "GET /months");
  expect(list.body).toMatchObject({
    ...{ object: "list", has_more: false, last_id: "2026-01" },
    data: [
      { month: "2026-02" },
      { month: "2026-01", sha256: first.sha256, closed_by: "ops", accepted: null },
    ],
  });
  const { status, body } = await admin.ask(token, "GET /months/2026-01");
  expect([status, body]).toMatchObject([200, { month: "2026-01", previous: null, sha256: first.sha256 }]);
  expect(hash("sha256", body.signed_text)).toBe(first.sha256);
  for (const month of ["2026-03", "2026-1", "closes"])
    expect((await admin.ask(token, `GET /months/${month}`)).status, month).toBe(404);
  expect((await admin.ask(token, "GET /months?limit=1")).body.error.code).toBe(40000);
});
