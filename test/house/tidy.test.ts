/**
 * The house rules, read from the tree itself: import direction, no cycles, sizes, names, and that the
 * tables (routes, errors) and their documents and goldens cover each other.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { match } from "#shared/base/http/router.ts";
import { type Route, routes } from "#shared/base/http/routes.ts";
import { functionLinesIn } from "./function-lines.ts";

const root = new URL("../../", import.meta.url).pathname;

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const product = ["shared", "functions", "infra"].flatMap(filesUnder);
const everything = [...product, ...filesUnder("test")];
const read = (file: string) => readFileSync(join(root, file), "utf8");

/**
 * Rooms by rank: a file may import from its own room and from rooms of a lower rank. A wing has ten ranks: base, books,
 * people, calls, edges. The store implements the ports that the rooms below it declare, so only functions, operators and
 * tests know it. Video tasks are of the gateway's rank, because they need nothing of it. Of two prefixes of a path the
 * longer one stands first.
 */
const ranks: [prefix: string, rank: number][] = [
  ["shared/base/limits.ts", 0],
  ["shared/base/console-limits.ts", 0],
  ["shared/base/errors.ts", 1],
  ["shared/base/platform/", 1],
  ["shared/base/advice.ts", 2],
  ["shared/base/json/", 2],
  ["shared/base/http/", 3],
  ["shared/base/sse/", 3],
  ["shared/books/billing/", 10],
  ["shared/books/accounts/", 11],
  ["shared/books/meters/", 12],
  ["shared/books/catalog/", 12],
  ["shared/books/ledger/", 13],
  ["shared/books/reports/", 14],
  ["shared/books/prices/", 14],
  ["shared/books/close/", 15],
  ["shared/people/identity/", 20],
  ["shared/people/payments/", 21],
  ["shared/people/passkeys/", 21],
  ["shared/people/sign-on/", 21],
  ["shared/people/scim/", 22],
  ["shared/people/invoices/", 22],
  ["shared/people/orders/", 22],
  ["shared/people/admin/", 23],
  ["shared/people/news/", 23],
  ["shared/people/thresholds/", 23],
  ["shared/calls/chat/", 30],
  ["shared/calls/upstreams/", 31],
  ["shared/calls/protocols/", 31],
  ["shared/calls/telemetry/", 31],
  ["shared/calls/access/", 32],
  ["shared/calls/routing/", 32],
  ["shared/calls/cache/", 32],
  ["shared/calls/exchange/", 32],
  ["shared/calls/gateway/", 33],
  ["shared/calls/tasks/", 33],
  ["shared/edges/console/operations/", 45],
  ["shared/edges/console/", 40],
  ["shared/edges/admin/operations/", 46],
  ["shared/edges/admin/", 41],
  ["shared/edges/openapi/", 42],
  ["shared/edges/api/", 43],
  ["shared/edges/jobs/", 43],
  ["shared/edges/audit/", 43],
  ["shared/edges/operator/", 44],
  ["shared/edges/restore/", 45],
  ["shared/edges/store/", 47],
  ["functions/", 50],
  ["console/", 59],
  ["terminal/", 59],
  ["infra/stage/", 60],
  ["infra/catalog/", 60],
  ["infra/bundles/", 61],
  ["infra/cost/", 61],
  ["infra/resources/", 62],
  ["infra/monitoring/", 63],
  ["infra/stack/", 64],
  ["infra/local/stack/", 65],
  ["infra/local/emulators/", 66],
  ["infra/local/dashboard/", 67],
  ["infra/local/demo/", 67],
  ["infra/local/sandbox/", 68],
  ["infra/local/start/", 69],
  ["infra/operator/", 70],
  ["infra/deploy/", 71],
];

function roomOf(file: string): { room: string; rank: number } | undefined {
  const hit = ranks.find(([prefix]) => file.startsWith(prefix));
  return hit && { room: hit[0], rank: hit[1] };
}

/** A parameter that is deps, whole or taken apart. */
const depsParameter = /^deps\b|^\{[^}]*\}: (?:Pick<|Omit<)?\w*Deps\b/s;

/** The named functions of a source, with their parameters. */
function parametersOf(source: string): { name: string; parameters: string[] }[] {
  return [...source.matchAll(/^(?:export )?(?:async )?function\*? (\w+)[^(]*\(/gm)].map((head) => {
    const parameters = [""];
    let depth = 1;
    for (let at = head.index + head[0].length; depth > 0; at++) {
      const letter = source[at] ?? ")";
      if ("([{<".includes(letter)) depth += 1;
      else if (")]}".includes(letter) || (letter === ">" && source[at - 1] !== "=")) depth -= 1;
      if (letter === "," && depth === 1) parameters.push("");
      else parameters.push((parameters.pop() ?? "") + letter);
    }
    const named = parameters.map((each) => each.replace(/\)$/, "").trim());
    return { name: head[1] ?? "", parameters: named.filter((each) => each !== "") };
  });
}

/** What a file imports, at its start or when it first needs it. */
const importing = [/^(?:import|export)\b[^;]*?from "([^"]+)"/gm, /\bimport\(\s*"([^"]+)"/g];

/** Our own files a file imports, as paths from the root. */
function importsOf(file: string): string[] {
  const text = read(file);
  const specifiers = importing.flatMap((form) => [...text.matchAll(form)].map((hit) => hit[1] ?? ""));
  return specifiers.flatMap((specifier) => {
    if (specifier.startsWith("#shared/")) return [specifier.slice(1)];
    if (specifier.startsWith("#infra/")) return [specifier.slice(1)];
    if (specifier.startsWith(".")) return [relative(root, join(root, file, "..", specifier))];
    return [];
  });
}

describe("imports", () => {
  test("point one way: a room only knows rooms below it", () => {
    const wrong = product.flatMap((file) => {
      const from = roomOf(file);
      if (!from) return [];
      return importsOf(file)
        .filter((target) => {
          const to = roomOf(target);
          return !to || (to.room !== from.room && to.rank >= from.rank);
        })
        .map((target) => `${file} → ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test("infra knows the schemas, the catalog and what the operator does, never the request path", () => {
    const wrong = product
      .filter((file) => file.startsWith("infra/"))
      .flatMap((file) => importsOf(file).map((target) => [file, target] as const))
      .filter(([, target]) =>
        /^(?:functions|test|shared\/calls\/(?:gateway|protocols|upstreams))\//.test(target),
      )
      .map(([file, target]) => `${file} → ${target}`);
    expect(wrong).toEqual([]);
  });

  test("have no cycles", () => {
    const state = new Map<string, "open" | "done">();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (state.get(file) === "open") cycles.push([...path, file].join(" → "));
      if (state.has(file)) return;
      state.set(file, "open");
      if (existsSync(join(root, file)) && file.endsWith(".ts")) {
        for (const target of importsOf(file)) visit(target, [...path, file]);
      }
      state.set(file, "done");
    };
    for (const file of product) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test.each(["shared/", "infra/"])("are drawn in the page of %s: every room with its rank", (folder) => {
    const rows = [
      ...read(`${folder}README.md`).matchAll(/^\*\*`(\w+\/)`\*\*|^\| (\d+) \| (?:\[)?`([a-z./-]+)`/gm),
    ];
    let wing = "";
    const drawn = rows.flatMap(([, opened, rank, room]) => {
      wing = opened ?? wing;
      return room === undefined ? [] : [[`${folder}${wing}${room}`, Number(rank)]];
    });
    const known = ranks.filter(([prefix]) => prefix.startsWith(folder));
    expect(drawn.toSorted()).toEqual(known.toSorted());
  });

  test("nothing in the product imports a test", () => {
    expect(product.filter((file) => importsOf(file).some((target) => target.startsWith("test/")))).toEqual(
      [],
    );
  });
});

describe("parameters", () => {
  test("deps come last", () => {
    const wrong = product
      .filter((file) => /^(?:functions|shared)\//.test(file))
      .flatMap((file) =>
        parametersOf(read(file))
          .filter(({ parameters }) => parameters.slice(0, -1).some((each) => depsParameter.test(each)))
          .map(({ name }) => `${file}: ${name}`),
      );
    expect(wrong).toEqual([]);
  });
});

describe("sizes", () => {
  const linesMax = 300;

  test(`files have at most ${linesMax} lines`, () => {
    const long = everything
      .map((file) => [file, read(file).split("\n").length - 1] as const)
      .filter(([, lines]) => lines > linesMax);
    expect(long).toEqual([]);
  });

  const functionLinesMax = 70;
  const longFunctions = (text: string, file: string) =>
    functionLinesIn(text, file).filter(({ lines }) => lines > functionLinesMax);

  test(`functions have at most ${functionLinesMax} lines, without blank ones and comments`, () => {
    const files = [...everything, ...filesUnder("console"), ...filesUnder("terminal")].filter(
      (file) => !file.endsWith(".test.ts"),
    );
    expect(files.flatMap((file) => longFunctions(read(file), file))).toEqual([]);
  });

  test.each([
    [68, 0],
    [69, 1],
  ])("%i lines between its first and its last one are %i too long", (between, count) => {
    const lines = [...Array(between - 2).fill("  at();"), "", "  // Why.", "  const at = () => {", "  };"];
    const text = ["const a = 1;", "function long() {", ...lines, "}"].join("\n");
    expect(longFunctions(text, "long.ts").map(({ place }) => place)).toEqual(Array(count).fill("long.ts:2"));
  });
});

describe("names and habits", () => {
  test("no default exports, but what a tool demands", () => {
    const allowed = new Set(["test/vitest.config.ts", "test/browser/vitest.config.ts"]);
    expect(everything.filter((file) => /^export default/m.test(read(file)) && !allowed.has(file))).toEqual(
      [],
    );
  });

  test("no state is keyed by an object's identity: a copy of the object would lose it", () => {
    expect(product.filter((file) => /\bWeak(?:Map|Set)\b/.test(read(file)))).toEqual([]);
  });

  test("file names avoid words that say nothing", () => {
    const vague = /(?:^|[-/])(?:handler|service|manager|utils?|helpers?|info|process|misc|common)(?:[-.])/;
    expect(everything.filter((file) => vague.test(file))).toEqual([]);
  });

  test("no unfinished work is left in the code", () => {
    const marks = /\b(?:TODO|FIXME|XXX|HACK)\b/;
    expect(product.filter((file) => marks.test(read(file)))).toEqual([]);
  });
});

describe("tables", () => {
  test("every route has a golden, and every inference route one that succeeds and one that fails", () => {
    const folder = "test/golden/routes";
    const answered = new Map<Route, number[]>();
    for (const file of readdirSync(join(root, folder))) {
      const golden = JSON.parse(read(join(folder, file))) as {
        method: string;
        path: string;
        ask?: Record<string, string>;
        status: number;
      };
      const found = match(golden.method, golden.path.split("?")[0] ?? "", golden.ask);
      if (found.found) answered.set(found.route, [...(answered.get(found.route) ?? []), golden.status]);
    }
    const missing = routes.flatMap((route) => {
      const statuses = answered.get(route) ?? [];
      const row = `${route.method} ${route.path}`;
      if (!("protocol" in route)) return statuses.length > 0 ? [] : [row];
      return [
        ...(statuses.some((status) => status < 400) ? [] : [`${row}: a success`]),
        ...(statuses.some((status) => status >= 400) ? [] : [`${row}: an error`]),
      ];
    });
    expect(missing).toEqual([]);
  });
});
