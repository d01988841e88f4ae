/** Where bounds stand: what others may meet is in a table, and a constant beside its code is of that code alone. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const tables = /^shared\/base\/(?:console-)?limits\.ts$|\/bounds\.ts$/;

/** Bounds that somebody else sets, so that they stand beside the code that keeps to them. */
const given = [
  "console/invoice-form.ts invoiceOrdersMax",
  "console/low-wallet-form.ts lowDaysMax",
  "infra/stage/concurrency.ts unreservedMin",
  "infra/stage/queue-settings.ts usageBatchMax",
  "shared/books/billing/points.ts amountMax",
  "shared/edges/store/dynamodb/items.ts batchMax",
  "shared/edges/store/dynamodb/items.ts insertsMax",
  "shared/edges/store/dynamodb/transaction.ts actionsMax",
  "shared/edges/store/meters/groups.ts holdsMax",
  "shared/edges/store/meters/meter-item.ts removalsMax",
];

/** Every constant of the product outside the tables whose name says that it is a bound, with its file's text. */
function bounds(): { id: string; name: string; isExported: boolean; text: string }[] {
  const files = ["shared", "functions", "infra", "console", "terminal"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  return files
    .filter((file) => /\.tsx?$/.test(file) && !tables.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(/^(export )?const (\w*(?:Max|Min|Most)) = \d/gm)].map(
        ([, exported, name = ""]) => ({ id: `${file} ${name}`, name, isExported: !!exported, text }),
      );
    });
}

test("a bound that another file uses, or that a message names, stands in a table of bounds", () => {
  const met = bounds().filter(({ name, isExported, text }) => isExported || text.includes(`\${${name}}`));
  expect(met.map(({ id }) => id).toSorted()).toEqual(given);
});
