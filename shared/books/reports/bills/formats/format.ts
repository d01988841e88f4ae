/** What every format of bills is, and what several of them need. */
import { parseExact } from "../../../../base/json/exact.ts";
import { isObject } from "../../../../base/json/fields.ts";
import { dayOf } from "../../../billing/period.ts";
import { BillRefused, type ReadBill } from "../bill.ts";

/** A reader of one kind of document. It is pure: the same text gives the same facts. */
export interface BillFormat {
  /** What of an account its documents tell alone: they stand beside others of the same days. */
  part?: string;
  /** Throws `BillRefused`. */
  read(text: string): ReadBill;
}

/** A step into JSON for each name or index. */
export type BillPath = readonly (string | number)[];

/** A result of a vendor's page, the bucket of time that it is in, and where it stands. */
export interface PageResult {
  result: Record<string, unknown>;
  bucket: Record<string, unknown>;
  path: BillPath;
}

/** The buckets of a page, or of a list of pages, as OpenAI's and Anthropic's APIs give them. */
export function bucketsOf(text: string): { bucket: Record<string, unknown>; path: BillPath }[] {
  const document = jsonOf(withoutMark(text));
  const pages = Array.isArray(document) ? document : [document];
  checkLast(pages.at(-1), Array.isArray(document) ? [pages.length - 1] : []);
  return pages.flatMap((page: unknown, index) => {
    const path = Array.isArray(document) ? [index] : [];
    if (!isObject(page) || !Array.isArray(page.data))
      throw new BillRefused([{ path, why: "it must be a page with data, or a list of such pages" }]);
    return page.data.map((bucket: unknown, at) => {
      const place = [...path, "data", at];
      if (!isObject(bucket) || !Array.isArray(bucket.results))
        throw new BillRefused([{ path: place, why: "it must be a bucket with results" }]);
      return { bucket, path: place };
    });
  });
}

/** Refuses pages whose end is missing: what is on the next page would look as if the vendor had not billed it. */
function checkLast(page: unknown, path: BillPath): void {
  if (!isObject(page) || page.has_more !== true) return;
  const why = "there are more pages: fetch the rest with next_page, and give all pages as a list in one file";
  throw new BillRefused([{ path: [...path, "has_more"], why }]);
}

/** A text without the mark of UTF-8 that some programs write first. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The results of a bucket. */
export function resultsOf({
  bucket,
  path,
}: {
  bucket: Record<string, unknown>;
  path: BillPath;
}): PageResult[] {
  const results = bucket.results as unknown[];
  return results.map((result, at) => {
    const place = [...path, "results", at];
    if (!isObject(result)) throw new BillRefused([{ path: place, why: "it must be an object" }]);
    return { result, bucket, path: place };
  });
}

function jsonOf(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BillRefused([{ line: lineOf(text, why), why: "it is no JSON" }]);
  }
}

/** The line that the parser's message tells of. */
function lineOf(text: string, why: string): number {
  const at = Number(/position (\d+)/.exec(why)?.[1] ?? text.length);
  return text.slice(0, at).split("\n").length;
}

/** The UTC day of an instant in Unix milliseconds. Throws `RangeError` for what is none. */
export function dayAt(at: number | undefined, name: string): string {
  if (at === undefined || !Number.isFinite(at) || at < 0 || at > 4e12)
    throw new RangeError(`${name} must be an instant`);
  return dayOf(at);
}
