/** The domains of an organization (people/sign-on/README.md "Domains"). */
import { GatewayError, invalidRequest, invalidState } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { invalidField, requiredString } from "../../../base/json/fields.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import type { AuditKind } from "../../../people/identity/audit.ts";
import { signOnLimits } from "../../../people/sign-on/bounds.ts";
import {
  claimedDomain,
  type DomainClaim,
  hasRecord,
  isProved,
  isPublicMail,
  newToken,
  recordOf,
} from "../../../people/sign-on/domain.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changedMeanwhile, entryOf } from "./organization-members.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";

type DomainDeps = Pick<SignOnDeps, "domains" | "readTexts" | "log" | "now">;

/** `POST /api/v1/domains {domain}`. The answer has the record to publish. A repetition is the same claim. */
export async function claimDomain(call: ConsoleCall, deps: DomainDeps) {
  const { organization } = callerOf(call);
  const fields = readFields<keyof ConsoleBody<"claim_domain">>(call.request, ["domain"]);
  const domain = claimedDomain(requiredString(fields, "domain"));
  if (domain === undefined || isPublicMail(domain))
    throw invalidField("domain", "a domain of your own, such as example.com");
  const claims = await deps.domains.list(organization.id);
  const known = claims.find((each) => each.domain === domain);
  if (known) return jsonReply(domainObject(known, deps.now()));
  if (claims.length >= signOnLimits.domainsMax)
    throw invalidRequest(
      `An organization claims at most ${signOnLimits.domainsMax} domains.`,
      "domains_full",
    );
  const created_at = deps.now();
  const claim = { organization: organization.id, domain, token: newToken(), seen_at: null, created_at };
  if (!(await deps.domains.claim(claim, lineOf(call, "domain_claimed", domain, deps))))
    throw changedMeanwhile();
  return jsonReply(domainObject(claim, created_at));
}

/** `POST /api/v1/domains/{domain}/check`: looks for the record, and makes the organization the domain's only one. */
export async function checkDomain(call: ConsoleCall, deps: DomainDeps) {
  readFields(call.request, []);
  const claim = await claimOf(call, deps);
  const at = deps.now();
  const found = await hasRecord(claim, deps.readTexts);
  if (!found) {
    const { name } = recordOf(claim);
    const message =
      found === undefined
        ? `DNS gave no answer for ${name}. Try again.`
        : `DNS has no such record at ${name} yet.`;
    throw invalidState(message, "domain_unproved");
  }
  const shown = jsonReply(domainObject({ ...claim, seen_at: at }, at));
  const holder = await deps.domains.holder(claim.domain);
  if (holder === claim.organization && claim.seen_at !== null) {
    await deps.domains.see(claim, at);
    return shown;
  }
  const from =
    holder === undefined || holder === claim.organization ? undefined : await lostBy(holder, claim, deps);
  const line = lineOf(call, "domain_proved", claim.domain, deps);
  if (!(await deps.domains.prove(claim, from, at, line))) throw changedMeanwhile();
  if (from) deps.log("warn", "domain_moved", { organization: claim.organization });
  return shown;
}

/** `DELETE /api/v1/domains/{domain}`. */
export async function dropDomain(call: ConsoleCall, deps: DomainDeps) {
  readFields(call.request, []);
  const claim = await claimOf(call, deps);
  const { id, sign_on } = callerOf(call).organization;
  if (sign_on === "required" && !(await hasDomain(id, claim.domain, deps)))
    throw invalidState(
      "People find the only way in by this domain. Prove another one, or allow other ways first.",
      "sign_on_domain",
    );
  if (!(await deps.domains.drop(claim, lineOf(call, "domain_dropped", claim.domain, deps))))
    throw changedMeanwhile();
  return jsonReply({ id: claim.domain, object: "domain", deleted: true });
}

/** Whether an organization has a domain that is proved now, besides the one that is left out. */
export async function hasDomain(
  organization: string,
  leftOut: string | undefined,
  { domains, now }: Pick<DomainDeps, "domains" | "now">,
): Promise<boolean> {
  const claims = await domains.list(organization);
  return claims.some((claim) => claim.domain !== leftOut && isProved(claim, now()));
}

/**
 * The claim of the organization that holds a domain, once its record is gone. Throws `invalid_state` while the record is
 * there, and where DNS does not say: nobody loses a domain by a silence.
 */
async function lostBy(holder: string, { domain }: DomainClaim, deps: DomainDeps): Promise<DomainClaim> {
  const theirs = await deps.domains.read(holder, domain);
  // Who gave the claim up at this moment has freed the domain as well.
  if (!theirs) throw changedMeanwhile();
  if ((await hasRecord(theirs, deps.readTexts)) === false) return theirs;
  throw invalidState(
    "Another organization has proved this domain, and its record is there still.",
    "domain_held",
  );
}

async function claimOf(call: ConsoleCall, { domains }: DomainDeps): Promise<DomainClaim> {
  const domain = claimedDomain(call.parameters.domain ?? "");
  const claim = domain === undefined ? undefined : await domains.read(callerOf(call).organization.id, domain);
  if (claim) return claim;
  throw new GatewayError("not_found", { message: "This organization claims no such domain." });
}

function lineOf(call: ConsoleCall, kind: AuditKind, domain: string, deps: DomainDeps) {
  return entryOf(call, { kind, subject: domain }, deps);
}

/** A claim as the interface shows it at `now`, Unix milliseconds. */
export function domainObject(claim: DomainClaim, now: number): ConsoleSchema<"Domain"> {
  const { domain, seen_at, created_at } = claim;
  return {
    id: domain,
    object: "domain",
    proved: isProved(claim, now),
    record: recordOf(claim),
    seen_at: seen_at === null ? null : rfc3339(seen_at),
    created_at: rfc3339(created_at),
  };
}
