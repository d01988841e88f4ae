/** The rules of the code in the browser, read from the tree. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { wordNames } from "#infra/bundles/console-assets.ts";
import { consolePages, operatorPages } from "#infra/bundles/console-pages.ts";

const root = join(import.meta.dirname, "../../console");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.(?:tsx?|css)$/.test(file),
);
const code = files.filter((file) => !file.endsWith(".css"));
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("code", () => {
  test("takes types from shared/, and nothing else of the server", () => {
    const imports = code.flatMap((file) =>
      [...read(file).matchAll(/^(import|export)( type)?\b[^;]*?from "([^"]+)"/gm)].map((hit) => ({
        file,
        isType: hit[2] !== undefined,
        from: hit[3] ?? "",
      })),
    );
    const foreign = imports.filter(({ from }) =>
      /(?:^#|\/(?:shared|functions|infra|test)\/|^node:)/.test(from),
    );
    expect(foreign.filter(({ isType, from }) => !isType || !from.includes("/shared/"))).toEqual([]);
    expect(foreign.length).toBeGreaterThan(0);
  });

  test("makes no HTML of text", () => {
    const forbidden =
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|eval)\b/;
    expect(code.filter((file) => forbidden.test(read(file)))).toEqual([]);
  });

  test("keeps nothing in the browser but language, theme, and that there may be a session", () => {
    const kept = code.flatMap((file) =>
      [...read(file).matchAll(/(?:localStorage|sessionStorage|indexedDB|document\.cookie)[^;\n]*/g)].map(
        ([hit]) => hit,
      ),
    );
    expect(
      kept.filter((hit) => !/^localStorage\.(?:get|set|remove)Item\((?:"locale"|"theme"|mark\b)/.test(hit)),
    ).toEqual([]);
  });

  test("has files of at most 300 lines and no default exports", () => {
    expect(files.filter((file) => read(file).split("\n").length - 1 > 300)).toEqual([]);
    expect(code.filter((file) => /^export default/m.test(read(file)))).toEqual([]);
  });
});

test("no sheet has a class that no code names", () => {
  const sheets = files.filter((file) => file.endsWith(".css")).map(read);
  const classes = new Set(sheets.flatMap((text) => text.match(/(?<=\.)[a-z][a-z-]+/g) ?? []));
  const named = new Set(code.flatMap((file) => read(file).match(/[a-z][a-z-]+/g) ?? []));
  // The names of files that a sheet imports look the same.
  classes.delete("css");
  expect(classes.size).toBeGreaterThan(100);
  expect([...classes].filter((each) => !named.has(each))).toEqual([]);
});

describe("words", () => {
  /** Without those that only lead to others. */
  const english = files.filter(
    (file) => /(?:words\/en\/.*|\/en)\.ts$/.test(file) && /const words/.test(read(file)),
  );

  const toEnglish = (file: string) => file.replace(/\/zh\b/, "/en");

  /** Objects whose members have names that are not ours. The browser's own are tried in a browser. */
  const foreign = [
    ...[Object, Array, String, Number, Promise, Map, Set, Date, Intl, JSON, Math, URL, URLSearchParams],
    ...[AbortController, AbortSignal, Response, Headers, Event, EventTarget, performance],
  ].flatMap((each) => [each, (each as { prototype?: object }).prototype ?? {}]);

  test("have names that the build can shorten: nobody else has them, and no code reads them by their text", () => {
    const names = wordNames();
    expect(names.length).toBeGreaterThan(100);
    const taken = new Set(foreign.flatMap((each) => Object.getOwnPropertyNames(each)));
    expect(names.filter((name) => taken.has(name))).toEqual([]);
    const quoted = new RegExp(`["'\`](?:${names.join("|")})["'\`]`);
    expect(code.filter((file) => quoted.test(read(file)))).toEqual([]);
  });

  test("are there in both languages, file by file", () => {
    const chinese = files.filter((file) => /\/zh\b/.test(file));
    const expected = files.filter((file) => /\/en\b/.test(file));
    expect(chinese.map(toEnglish).toSorted()).toEqual(expected.toSorted());
  });

  /** Every text of a tree of words; a function is asked with its parameters' places. */
  const texts = (words: unknown): string[] => {
    if (typeof words === "string") return [words];
    if (typeof words === "function") return texts(words(...["1", "2", "3"].slice(0, words.length)));
    if (typeof words === "object" && words !== null) return Object.values(words).flatMap(texts);
    return [];
  };

  /** What is the same in both languages, because it is a name. */
  const names = new Set(["Token", "API", "URL", "Webhook"]);

  test.each(english)("%s is Chinese in Chinese", async (file) => {
    const { words } = (await import(join(root, file.replace(/\/en\b/, "/zh")))) as { words: unknown };
    const bare = texts(words).filter((text) => /[a-z]{2}/i.test(text) && !/\p{Script=Han}/u.test(text));
    expect(bare.filter((text) => !names.has(text))).toEqual([]);
    expect(texts(words).length).toBeGreaterThan(0);
  });

  test("of the sign-in promise no terms that nobody can read, and name each use of phone and address", async () => {
    for (const [language, plan] of [
      ["en", /codes.*plan ends/],
      ["zh", /验证码.*套餐到期/],
    ] as const) {
      const { words } = (await import(join(root, `pages/first/sign-in/${language}.ts`))) as {
        words: unknown;
      };
      expect(texts(words).filter((text) => plan.test(text))).toHaveLength(2);
      expect(texts(words).filter((text) => /\bterms\b|条款/.test(text))).toEqual([]);
    }
  });
});

describe("a page", () => {
  const views = files.filter((file) => file.endsWith("/view.tsx"));

  test.each(views)("%s takes the words of its own folder", (file) => {
    expect(read(file)).toContain('typeof import("./en.ts").words');
    for (const own of ["en.ts", "zh.ts"]) expect(files).toContain(file.replace("view.tsx", own));
  });

  test("has a path and a place in the navigation of its own, and a title in Chinese too", () => {
    const pages = [...consolePages(), ...operatorPages()].map(([, facts]) => facts);
    // The sign-in and the frame of the operators' pages have no path.
    expect(pages.length).toBe(views.length - 2);
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
    const places = pages.flatMap(({ menu }) => (menu ? [`${menu.group} ${menu.place}`] : []));
    expect(new Set(places).size).toBe(places.length);
    for (const { path, title } of pages) {
      expect(path).toMatch(/^(?:\/operators(?=\/|$))?(?:\/[a-z-]*)?$/);
      expect(title.zh).toMatch(/\p{Script=Han}/u);
    }
  });
});
