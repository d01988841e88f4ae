/** A request to the console's function: who may call each route, what is refused, and the headers of every answer. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { GatewayError } from "#shared/base/errors.ts";
import { jsonReply } from "#shared/base/http/message.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { createConsole, type PipelineDeps } from "#shared/edges/console/pipeline.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";
import type { Caller } from "#shared/people/identity/caller.ts";
import { mayDo } from "#shared/people/identity/roles.ts";
import { type Role, roles } from "#shared/people/identity/user.ts";

const rows = consoleRoutes as readonly ConsoleRoute[];
const publicRow = rows.find(({ access }) => access === "public") as ConsoleRoute;

function requestOf(route: Pick<ConsoleRoute, "method" | "path">, body = ""): ConsoleRequest {
  return {
    id: "req_1",
    method: route.method,
    path: route.path.replaceAll(/\{\w+\}/g, "x"),
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from(body),
    received_at: 0,
    deadline_at: 30_000,
    ip: "203.0.113.7",
  };
}

/** A console whose operations say who called them. */
function consoleOf(deps: Partial<PipelineDeps> = {}, answers: Partial<ConsoleAnswers> = {}) {
  const lines: [string, string, object][] = [];
  const told = Object.fromEntries(
    rows.map(({ operation }) => [
      operation,
      async ({ caller }: { caller: Caller | null }) => jsonReply({ operation, role: caller?.role ?? null }),
    ]),
  ) as unknown as ConsoleAnswers;
  const serve = createConsole(
    { ...told, ...answers },
    {
      log: (level, event, facts = {}) => void lines.push([level, event, facts]),
      identify: async () => {
        throw new GatewayError("session_expired");
      },
      asset: async () => undefined,
      ...deps,
    },
  );
  return { serve, lines };
}

const callerWith = (role: Role) => ({ role }) as Caller;

describe("the access of a row", () => {
  const cases = rows.flatMap((route) =>
    roles.map((role) => [route.method, route.path, role, route] as const),
  );

  test.each(cases)("%s %s as %s", async (_method, _path, role, route) => {
    const { serve } = consoleOf({ identify: async () => callerWith(role) });
    const { status, body } = await serve(requestOf(route));
    const { access, operation } = route;
    const isOpen = access === "public" || access === "cookie";
    const may = isOpen || access === "member" || mayDo(role, access);
    expect(status).toBe(may ? 200 : 403);
    if (may) expect(JSON.parse(String(body))).toEqual({ operation, role: isOpen ? null : role });
    else expect(JSON.parse(String(body))).toMatchObject({ error: { code: 40300 } });
  });

  test.each(
    rows.filter(({ access }) => access !== "public" && access !== "cookie").map((row) => [row.path, row]),
  )("%s without a session is 40103", async (_path, route) => {
    const { serve } = consoleOf();
    const { status, body } = await serve(requestOf(route));
    expect([status, JSON.parse(String(body)).error.code]).toEqual([401, 40103]);
  });
});

describe("what is refused", () => {
  test("a body over the bound is 41300, and nobody is asked", async () => {
    let asked = 0;
    const { serve } = consoleOf({}, {
      [publicRow.operation]: async () => {
        asked += 1;
        return jsonReply({});
      },
    } as Partial<ConsoleAnswers>);
    const { status } = await serve(requestOf(publicRow, "x".repeat(consoleLimits.bodyBytesMax + 1)));
    expect([status, asked]).toEqual([413, 0]);
  });

  test("an unknown path is 40400, and another method 40500 with the methods", async () => {
    const { serve } = consoleOf();
    expect(await serve(requestOf({ method: "GET", path: "/api/v1/nothing" }))).toMatchObject({ status: 404 });
    const refused = await serve({ ...requestOf(publicRow), method: "PUT" });
    expect(refused).toMatchObject({ status: 405, headers: { allow: publicRow.method } });
  });

  test("a fault of ours is 50000, and its words stay in the log", async () => {
    const { serve, lines } = consoleOf({}, {
      [publicRow.operation]: async () => {
        throw new Error("the table is gone");
      },
    } as Partial<ConsoleAnswers>);
    const { status, body } = await serve(requestOf(publicRow));
    expect(status).toBe(500);
    expect(String(body)).not.toContain("table");
    expect(JSON.stringify(lines)).toContain("the table is gone");
  });
});

describe("every answer", () => {
  test("has the request's id and may not be kept", async () => {
    const { serve } = consoleOf();
    const { headers } = await serve(requestOf(publicRow));
    expect(headers).toMatchObject({
      "x-request-id": "req_1",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("a file for the browser is served where no route is", async () => {
    const file = { status: 200, headers: { "cache-control": "max-age=60" }, body: "<html>" };
    const { serve } = consoleOf({ asset: async ({ path }) => (path === "/" ? file : undefined) });
    expect(await serve(requestOf({ method: "GET", path: "/" }))).toEqual(file);
  });
});
