/** The file that says what `operator catalog sync` imports: which lists, and which models of which vendors. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import { listFormats } from "#shared/books/prices/list.ts";
import { type Amount, readAmount } from "#shared/books/prices/numbers.ts";
import type { SyncRequest } from "#shared/books/prices/sync.ts";
import { located } from "../catalog/catalog-files.ts";
import { patternsOf } from "./catalog-names.ts";
import { isAddress } from "./price-lists.ts";

const text = z.string().check(z.minLength(1));

/** A path or an address. Other schemes are mistakes, and no paths. */
const place = text.check(
  z.refine(
    (from) => isAddress(from) || !from.includes("://"),
    "must be an https address (http on loopback only), or the path of a file",
  ),
);

const schema = z.strictObject({
  lists: z.array(z.strictObject({ name: z.enum(listFormats), from: place })).check(
    z.minLength(1),
    z.refine(
      (lists) => new Set(lists.map(({ name }) => name)).size === lists.length,
      "must name a list once",
    ),
  ),
  points_per_usd: z.optional(
    z.string().check(z.refine((rate) => readAmount(rate)?.digits !== 0n, "must be a decimal above 0")),
  ),
  vendors: z.record(
    text,
    z.strictObject({ models: z.array(text).check(z.minLength(1)), agreed: z.optional(z.boolean()) }),
  ),
});

/** What to import. */
export interface ListImport {
  /** In the order in which they count. `from` is an address or an absolute path. */
  lists: { name: (typeof listFormats)[number]; from: string }[];
  pointsPerUsd: Amount;
  wanted: Map<string, SyncRequest>;
}

/** A point is a US dollar in the default catalog. */
export const onePointPerUsd: Amount = { digits: 1n, places: 0 };

/** The file's name, beside a catalog's file or folder. */
const fileName = "lists.json";

/** Where the file of a catalog is if nobody says otherwise: beside the catalog. */
export function listsFileOf(catalog: string): string {
  return join(dirname(resolve(catalog)), fileName);
}

/** Reads the file. Throws `Error` for one that is missing or wrong, with the line of each problem. */
export function readListsFile(file: string): ListImport {
  if (!existsSync(file)) {
    throw new Error(
      `there is no file ${file}: it says what to import (infra/catalog/README.md "Again each week")`,
    );
  }
  const content = readFileSync(file, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (error) {
    throw new Error(`${file}: not JSON: ${(error as Error).message}`, { cause: error });
  }
  const read = z.safeParse(schema, json, { error: z.locales.en().localeError });
  if (!read.success) {
    const part = { file, text: content, json: json as Record<string, unknown> };
    const say = ({ path, message }: z.core.$ZodIssue) =>
      located(
        { isFolder: false, parts: [part], json: part.json, bases: [] },
        `${z.core.toDotPath(path)}: ${message}`,
      );
    throw new Error(read.error.issues.map(say).join("\n"));
  }
  const { lists, vendors, points_per_usd } = read.data;
  return {
    lists: lists.map(({ name, from }) => ({
      name,
      from: isAddress(from) ? from : resolve(dirname(file), from),
    })),
    pointsPerUsd: (points_per_usd && readAmount(points_per_usd)) || onePointPerUsd,
    wanted: new Map(
      Object.entries(vendors).map(([vendor, { models, agreed = false }]) => [
        vendor,
        { add: models.flatMap((name) => patternsOf(`${vendor}/${name}`)), agreed },
      ]),
    ),
  };
}
