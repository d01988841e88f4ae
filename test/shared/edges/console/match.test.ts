/** The table of the console's routes: every row is found, and what is no row says what the path takes. */
import { describe, expect, test } from "vitest";
import { matchConsole } from "#shared/edges/console/match.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";

const rows = consoleRoutes as readonly ConsoleRoute[];

describe("matchConsole", () => {
  test.each(rows.map((route) => [route.method, route.path, route] as const))(
    "%s %s",
    (method, path, route) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      const asked = path.replaceAll(/\{\w+\}/g, "a%2Fb%20c");
      const parameters = Object.fromEntries(names.map((name) => [name, "a/b c"]));
      expect(matchConsole(method, asked)).toEqual({ found: true, route, parameters });
    },
  );

  test.each([
    ["/"],
    ["/api/v1"],
    ["/api/v1/payment-methods/"],
    ["/api/v1/payment-methods/more"],
    ["/API/v1/payment-methods"],
    ["/api/v1/%70ayment-methods"],
  ])("%s is no route", (path) => {
    expect(matchConsole("GET", path)).toEqual({ found: false, error: "not_found", allow: "" });
  });

  test("another method is told the methods of the path", () => {
    expect(matchConsole("PUT", "/api/v1/payment-methods")).toEqual({
      found: false,
      error: "method_not_allowed",
      allow: "GET",
    });
  });

  test("no two rows have the same method and path, and none the same operation", () => {
    const places = rows.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
    expect(new Set(places).size).toBe(places.length);
    const operations = rows.map(({ operation }) => operation);
    expect(new Set(operations).size).toBe(operations.length);
  });
});
