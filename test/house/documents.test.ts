/** What the documents list is what the code has: commands, settings, fields of the catalog. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { help } from "#infra/local/start/settings.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The documents that people read; tables that tests write are left out. */
const documents = ["README.md", ".github", "shared", "infra", "console", "terminal", "test"].flatMap(
  (place) => (place.endsWith(".md") ? [place] : documentsUnder(place)),
);

function documentsUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith(".md"));
}

/** The words between single backticks. */
const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);

describe("README.md", () => {
  const readme = read("README.md");

  test("is a front door: at most 200 lines, with the two commands", () => {
    expect(readme.split("\n").length - 1).toBeLessThanOrEqual(200);
    expect(readme).toContain("npm ci && npm start");
    expect(readme).toContain("npm ci && npm test");
  });

  test("leads to the page of every room that has one", () => {
    const overview = read("shared/README.md");
    const rooms = readdirSync(join(root, "shared"), { recursive: true, encoding: "utf8" })
      .filter((file) => /^\w+\/\w+\/README\.md$/.test(file))
      .map(dirname);
    expect(rooms.length).toBeGreaterThan(10);
    expect(rooms.filter((room) => !overview.includes(`](${room}/README.md)`))).toEqual([]);
  });
});

describe("commands", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

  test("every npm script that a document names is there", () => {
    const named = documents.flatMap((file) =>
      [...read(file).matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map(([, name = ""]) => `${file}: ${name}`),
    );
    expect(named.filter((row) => !((row.split(": ")[1] ?? "") in scripts))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  test("what CI runs is what a document tells a newcomer to run", () => {
    const run = [...read(".ci/run").matchAll(/^npm (?:ci|run [a-z:-]+)/gm)].map(([command]) => command);
    const text = documents.map(read).join("\n");
    expect(run.filter((command) => !text.includes(command))).toEqual([]);
    expect(run[0]).toBe("npm ci");
  });
});

describe("shared/books/catalog/README.md", () => {
  const text = read("shared/books/catalog/README.md");

  test("has an example that would deploy", () => {
    const [, example = ""] = /```json\n(.+?)\n```/s.exec(text) ?? [];
    expect(parseCatalog(JSON.parse(example)).models.map(({ id }) => id)).toEqual(["acme/sonic-1-5"]);
  });

  test("describes every field that the default catalog uses", () => {
    const file = parseCatalog(catalogFile);
    const objects = [file, ...Object.values(file.providers), ...file.models, ...Object.values(file.plans)];
    const fields = new Set(objects.flatMap((each) => Object.keys(each)));
    const words = new Set(quoted(text));
    expect([...fields].filter((field) => !words.has(field))).toEqual([]);
  });
});

describe("the pages of operation", () => {
  test("test/support/README.md has every file that tests share, or its folder", () => {
    const places = readdirSync(join(root, "test/support"), { withFileTypes: true })
      .filter(({ name }) => name !== "README.md")
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name.replace(/\.ts$/, "")));
    const told = quoted(read("test/support/README.md"));
    expect(told.toSorted()).toEqual(places.toSorted());
  });

  test("infra/local/README.md has every setting of npm start", () => {
    const text = read("infra/local/README.md");
    const settings = [...help().matchAll(/^ {2}(--[a-z-]+|[A-Z_]+=)/gm)].map(([, name = ""]) => name);
    expect(settings.filter((name) => !text.includes(name))).toEqual([]);
    expect(settings.length).toBeGreaterThan(10);
  });
});

describe("decisions", () => {
  const files = documents.filter((file) => /.\/decisions\.md$/.test(file) && file !== "shared/decisions.md");
  const records = files.flatMap((file) =>
    read(file)
      .split(/^(?=#{1,3} )/m)
      .filter((part) => part.startsWith("### "))
      .map((part) => ({ at: `${file}: ${part.split("\n")[0]}`, lines: part.trim().split("\n") })),
  );

  test("shared/decisions.md leads to every file of them", () => {
    const index = read("shared/decisions.md");
    expect(files.filter((file) => !index.includes(`| [${file.replace(/^shared\//, "")}](`))).toEqual([]);
  });

  test("each has a day, its parts in order, and at most 12 lines", () => {
    const form =
      /^### .+ \(\d{4}-\d\d-\d\d\)\n\nDecided(?=, Why|, Not)(?:, Why)?(?:, Not chosen)?(?:, Measured)?$/;
    const broken = records.filter(({ lines }) => {
      const parts = lines.flatMap((line) => /^- \*\*(.+?)\.\*\*/.exec(line)?.[1] ?? []);
      return lines.length > 12 || !form.test(`${lines[0]}\n${lines[1]}\n${parts.join(", ")}`);
    });
    expect(broken.map(({ at }) => at)).toEqual([]);
    expect(records.length).toBeGreaterThan(50);
  });
});
