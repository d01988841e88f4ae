/** Lists of SCIM: which part of them is asked for, and which attributes (RFC 7644 §3.4.2, RFC 7644 §3.9). */
import type { HttpReply } from "../../../base/http/message.ts";
import { scimLimits } from "../../../people/scim/bounds.ts";
import { type FilterCondition, readFilter } from "../../../people/scim/filter.ts";
import { invalidValue } from "../../../people/scim/scim-error.ts";
import type { ConsoleRequest } from "../call.ts";
import { scimReply } from "../scim.ts";

const usualCount = 100;

export interface ListAsked {
  conditions: FilterCondition[];
  /** Counts from 1. */
  start: number;
  count: number;
}

/** What a query asks for. Parameters that are not known are left out, as RFC 7644 has it. */
export function readList({ query }: Pick<ConsoleRequest, "query">): ListAsked {
  const filter = query.get("filter");
  return {
    conditions: filter === null || filter.trim() === "" ? [] : readFilter(filter),
    start: Math.max(1, readInteger(query, "startIndex", 1)),
    count: Math.min(scimLimits.pageMax, Math.max(0, readInteger(query, "count", usualCount))),
  };
}

function readInteger(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null || text === "") return usual;
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(name, "an integer");
  return Number(text);
}

/** Whether an attribute of a resource, in lower case, is shown. */
export function isShown({ query }: Pick<ConsoleRequest, "query">, attribute: string): boolean {
  const names = (name: string) =>
    query
      .get(name)
      ?.split(",")
      .map((each) => each.trim().toLowerCase().split(".", 1)[0] ?? "")
      .filter((each) => each !== "") ?? [];
  const [wanted, unwanted] = [names("attributes"), names("excludedAttributes")];
  if (attribute === "id" || attribute === "schemas") return true;
  return (wanted.length === 0 || wanted.includes(attribute)) && !unwanted.includes(attribute);
}

/** A resource with the attributes that are asked for. */
export function shownPart(request: Pick<ConsoleRequest, "query">, resource: object): object {
  const shown = Object.entries(resource).filter(([name]) => isShown(request, name.toLowerCase()));
  return Object.fromEntries(shown);
}

/** A page of a list. */
export function listReply(
  request: Pick<ConsoleRequest, "query">,
  { total, start, resources }: { total: number; start: number; resources: readonly object[] },
): HttpReply {
  return scimReply({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex: start,
    itemsPerPage: resources.length,
    Resources: resources.map((each) => shownPart(request, each)),
  });
}
