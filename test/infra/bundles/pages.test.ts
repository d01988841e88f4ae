/** The pages as files beside a bundle. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pages } from "#infra/bundles/pages.ts";
import { indexName, type KeptIndex } from "#shared/base/http/kept-files.ts";
import { aboutName } from "#shared/base/http/pages.ts";
import { pagesFolder } from "#test/support/pages.ts";

const { folder, remove } = pagesFolder();
afterAll(remove);

test("each page lies there compressed, twice, and the index has all of them", () => {
  const index = JSON.parse(readFileSync(join(folder, indexName), "utf8")) as KeptIndex;
  const names = pages().map(({ name }) => name);
  expect(Object.keys(index)).toEqual(names);
  const files = [indexName, aboutName, ...names.flatMap((name) => [`${name}.br`, `${name}.gz`])];
  expect(readdirSync(folder).toSorted()).toEqual(files.toSorted());
});

test("they are small beside what a function may weigh, and no answer comes near a bound of its front", () => {
  const bytes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
  expect(bytes.reduce((all, each) => all + each, 0)).toBeLessThan(1_100 * 1024);
  // A function's answer that is not streamed ends at 6 MB, and one that is streamed far beyond it (infra/aws.md).
  for (const { bytes: plain } of pages()) expect(plain.length).toBeLessThan(2 * 1024 * 1024);
});

test("the same sources give the same files", () => {
  expect(pages()).toEqual(pages());
});
