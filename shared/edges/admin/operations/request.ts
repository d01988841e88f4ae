/** Reads what requests of the operators' API say. */
import { GatewayError } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField, requiredString } from "../../../base/json/fields.ts";
import type { Accounts, Organization } from "../../../books/accounts/account.ts";
import { adminLimits, unseen } from "../../../people/admin/bounds.ts";
import { readLimit } from "../../api/report-parameters.ts";
import { type FieldsOf, readFields } from "../../console/body.ts";
import type { AdminCall } from "../call.ts";
import { readOrganizationId } from "../path.ts";
import { doOnce, type OnceAdminDeps, type WriteAnswer } from "./once.ts";

type AdminParameter<Value> = (given: string | undefined, name: string) => Value;

/** A parameter that may be any text, or left out. */
export const anyText: AdminParameter<string | undefined> = (given) => given;

/** Readers of the page that a list's query names. */
export const pageReaders = { limit: readLimit(adminLimits.pageMax), after: anyText };

/** A page of a list. `last` leads to the next one. */
export function pageReply(data: readonly object[], more: boolean, last: string | null): HttpReply {
  return jsonReply({ object: "list", data, has_more: more, last_id: last });
}

/** The organization of the path. Throws `not_found`. */
export async function organizationAt(
  { parameters }: AdminCall,
  { accounts }: { accounts: Pick<Accounts, "organization"> },
): Promise<Organization> {
  const { id = "" } = parameters;
  const named = readOrganizationId(id);
  const organization = named && (await accounts.organization(named));
  if (!organization)
    throw new GatewayError("not_found", { message: `There is no organization ${id.slice(0, 64)}.` });
  return organization;
}

/** What a write says beside its own fields. */
interface ReasonedWrite<Name extends string> {
  fields: FieldsOf<Name>;
  reason: string;
}

/** What a write would do, where nobody has sent it for real: `would` says it in one word. */
type Foreseen = { would: string } & Record<string, unknown>;

/** A write: what it would do, and what does it. */
interface Write<Name extends string> {
  /** Throws what the write itself would throw. It writes nothing. */
  foresee: (written: ReasonedWrite<Name>) => Promise<Foreseen>;
  act: (written: ReasonedWrite<Name>) => Promise<WriteAnswer>;
}

/**
 * Answers a write. With `?dry_run=true` it only says what would happen. Throws `invalid_request` without a reason, for a
 * field that is not among `known`, and as `doOnce` does.
 */
export async function answerWrite<Name extends string>(
  call: AdminCall,
  known: readonly Name[],
  { foresee, act }: Write<Name>,
  deps: OnceAdminDeps,
): Promise<HttpReply> {
  const { dry_run } = readQuery<{ dry_run: boolean }>(call.request.query, { dry_run: readDryRun });
  const fields = readFields<Name | "reason">(call.request, [...known, "reason"]);
  const written = { fields, reason: readReason(fields.reason) };
  if (!dry_run) return await doOnce(call, () => act(written), deps);
  return jsonReply({ object: "dry_run", ...(await foresee(written)) });
}

function readDryRun(given: string | undefined, name: string): boolean {
  if (given === undefined || given === "false") return false;
  if (given !== "true") throw invalidField(name, "true or false");
  return true;
}

function readReason(given: unknown): string {
  const most = adminLimits.reasonCharsMax;
  const text = requiredString({ reason: given }, "reason").trim();
  if (text === "" || text.length > most || unseen.test(text))
    throw invalidField("reason", `1 to ${most} visible characters on one line`);
  return text;
}

/** One of some words, where it is given. */
export function optionalWord<Word extends string>(
  given: unknown,
  name: string,
  words: readonly Word[],
): Word | undefined {
  if (given === undefined || given === null) return undefined;
  const word = words.find((each) => each === given);
  if (word === undefined) throw invalidField(name, `one of ${words.join(", ")}`);
  return word;
}

/** Refuses a query on a route that takes none. */
export function noQuery({ request }: AdminCall): void {
  readQuery(request.query, {});
}
