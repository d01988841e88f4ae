/** The operators' API is loaded once. A load that failed is tried again, and its request is answered in the error form. */
import { expect, test } from "vitest";
import { jsonReply } from "#shared/base/http/message.ts";
import { openedByFirst } from "#shared/edges/admin/loading.ts";
import type { ConsoleRequest } from "#shared/edges/console/call.ts";

const request: ConsoleRequest = {
  ...{
    id: "req_1",
    method: "GET",
    path: "/api/admin/v1/token",
    query: new URLSearchParams(),
    ip: "203.0.113.7",
  },
  ...{ headers: {}, body: Buffer.alloc(0), received_at: 0, deadline_at: 1 },
};

test("a failed load is not kept", async () => {
  const logged: unknown[] = [];
  let loads = 0;
  const serve = openedByFirst(
    async () => {
      loads += 1;
      if (loads === 1) throw new Error("fourEyesPoints is not set");
      return async () => jsonReply({ loads });
    },
    { log: (level, event, fields) => void logged.push([level, event, fields]) },
  );
  const failed = await serve(request);
  expect([failed.status, JSON.parse(String(failed.body)).error.code]).toEqual([500, 50000]);
  expect(failed.headers).toMatchObject({ "x-request-id": "req_1", "cache-control": "no-store" });
  expect(String(failed.body)).not.toContain("fourEyes");
  expect(logged).toMatchObject([["error", "internal", { request: "req_1" }]]);
  for (let n = 0; n < 2; n++) expect(JSON.parse(String((await serve(request)).body))).toEqual({ loads: 2 });
});
