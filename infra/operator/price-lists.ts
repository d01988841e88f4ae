/** Reads public price lists for the operator's commands: files here, or what an address has. */
import { readFileSync } from "node:fs";
import { dayOf, isDay } from "#shared/books/billing/period.ts";
import { readPriceList } from "#shared/books/prices/import.ts";
import type { ListFormat } from "#shared/books/prices/list.ts";
import { dayOfText, isFuture } from "#shared/books/prices/list-day.ts";
import { listSources } from "#shared/books/prices/list-sources.ts";
import type { PriceList } from "#shared/books/prices/many-lists.ts";
import { operatorBounds } from "./bounds.ts";

/** What is known of a list before it is read. */
interface ListTerms {
  /** The day that it is of; else the last one that it names. */
  asOf?: string | undefined;
  /** Whose list it is; else it is seen from its form. */
  format?: ListFormat | undefined;
  /** Where it was read; else its usual address. */
  source?: string | undefined;
  /** The day whose prices count where a list has several; else its own, or today. */
  day?: string | undefined;
}

/** The list in a text. Throws for a text that is no list, or none of the given format. */
export function readList(text: string, { asOf, format, source, day }: ListTerms): PriceList {
  const as_of = asOf ?? dayOfText(text, Date.now());
  const list = readPriceList(text, day ?? as_of ?? dayOf(Date.now()), format);
  return { ...list, as_of, source: source ?? listSources[list.format] };
}

/** The text of a list, from a file or from an https address (http on loopback). Throws if it cannot be had whole. */
export async function listText(from: string): Promise<string> {
  if (!isAddress(from)) return readFileSync(from, "utf8");
  const answer = await fetch(from, { signal: AbortSignal.timeout(operatorBounds.priceListMs) }).catch(
    (error: unknown) => {
      const { message, cause } = error as Error;
      throw new Error(`${from} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
    },
  );
  if (!answer.ok) throw new Error(`${from} answered with ${answer.status}`);
  const text = await answer.text();
  if (text.length > operatorBounds.priceListCharsMax)
    throw new Error(`${from} has over ${operatorBounds.priceListCharsMax} characters: that is no list`);
  return text;
}

/** Whether a list is read from an address, and not from a file. */
export function isAddress(from: string): boolean {
  return /^https:\/\/|^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])[:/]/.test(from);
}

/** `acme=openai,other=zai`: pairs of names. */
export function pairs(text: string, name: string, form = "NAME=LISTED"): Map<string, string> {
  const parts = text.split(",").filter((part) => part !== "");
  return new Map(
    parts.map((part) => {
      const [own, listed, surplus] = part.split("=");
      if (!own || !listed || surplus !== undefined) throw new Error(`${name} takes ${form},…`);
      return [own, listed];
    }),
  );
}

/** Reads a day that has begun. */
export function pastDay(text: string, name: string): string {
  if (!isDay(text)) throw new Error(`${name} takes a day like 2026-11-20`);
  if (isFuture(text, Date.now())) throw new Error(`${name} ${text} is in the future`);
  return text;
}
