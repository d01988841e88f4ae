/** What `npm start` prints at its end is what README.md shows, and the page beside it has the rest. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { demoNames } from "#infra/local/stack/ready-file.ts";
import type { Gateway } from "#infra/local/start/gateway.ts";
import { help } from "#infra/local/start/settings.ts";
import { snippetPage } from "#infra/local/start/snippets.ts";
import { welcome } from "#infra/local/start/welcome.ts";

const readme = readFileSync(join(import.meta.dirname, "../../../../README.md"), "utf8");
const [, shown = ""] = /```text\n( {2}Base URL .+?)```/s.exec(readme) ?? [];

const catalog = readCatalog(defaultCatalog);
const at = (port: number) => `http://127.0.0.1:${port}`;
const gateway = {
  url: at(8787),
  catalog,
  played: ["acme"],
  demo: {
    keys: { payg: "sk-payg-…", subscription: "sk-plan-…", free: "sk-free-…", manager: "sk-manager-…" },
    organizations: { payg: "1", subscription: "2", free: "3", manager: "4" },
    operator_token: "gwadmin_…",
  },
  endpoints: {
    ...{ console: at(8789), dashboard: at(8788), inbox: at(1), paymentPlatform: at(2), demoProvider: at(3) },
  },
} as unknown as Gateway;

const printed = (isKnown: boolean) =>
  stripVTControlCharacters(
    welcome(gateway, {
      snippets: ".local/snippets.md",
      readyFile: { path: ".local/ready-9000.json", isKnown },
    }),
  );

test("the last lines are those of README.md, word for word", () => {
  const lines = printed(true).split("\n");
  expect(lines.slice(2).join("\n")).toBe(shown);
  expect(lines[0]).toContain(".local/snippets.md");
});

test("a catalog without that model has another one in the line", () => {
  const other = { ...gateway, catalog: { ...catalog, models: catalog.models.slice(0, 1) } };
  const line = welcome(other, { snippets: "", readyFile: { path: "", isKnown: true } });
  expect(line).toContain(`"model":${JSON.stringify(catalog.models[0]?.id)}`);
});

test("only a second gateway is told how the operator reaches it, before all that is to be pasted", () => {
  expect(printed(true)).not.toContain("npm run -s operator");
  const second = printed(false);
  expect(second.indexOf("--ready-file .local/ready-9000.json")).toBeGreaterThan(0);
  expect(second.indexOf("--ready-file")).toBeLessThan(second.indexOf("Base URL"));
});

test("the page has every key and address, who is played, and programs", () => {
  const page = snippetPage(gateway);
  const { console: consoleAt, dashboard, inbox, paymentPlatform } = gateway.endpoints;
  const keys = demoNames.map((name) => gateway.demo.keys[name]);
  for (const text of [...keys, consoleAt, dashboard, inbox, paymentPlatform, "plays acme", "```py"])
    expect(page).toContain(text);
  expect(help()).toContain(".local/snippets.md");
});
