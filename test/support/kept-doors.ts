/** Other ways in and out, in the books: a program that asks to be let in, a company's own provider, and a webhook. */
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { createConnections } from "#shared/edges/store/identity/connections.ts";
import { createDevices } from "#shared/edges/store/identity/devices.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { createDomains } from "#shared/edges/store/identity/domains.ts";
import { createSignOns } from "#shared/edges/store/identity/sign-on.ts";
import { createDeliveries } from "#shared/edges/store/news/deliveries.ts";
import { type AuditedChange, auditEntry } from "#shared/people/identity/audit.ts";
import type { User } from "#shared/people/identity/user.ts";
import { newDelivery } from "#shared/people/news/delivery.ts";
import type { DirectoryPerson } from "#shared/people/scim/directory.ts";
import { newDirectoryToken } from "#shared/people/scim/token.ts";
import { newToken } from "#shared/people/sign-on/domain.ts";
import { minute, type Place } from "./kept-orders.ts";
import { putWebhook } from "./news.ts";

/** Leaves one of each for an owner of the organization. */
export async function useDoors(place: Place, organization: Organization, user: User): Promise<void> {
  const { aws, tables, clock } = place;
  const at = clock.now;
  const line = (kind: AuditedChange["kind"]) =>
    auditEntry({ user, organization }, { kind, subject: organization.id }, null, at);
  await createDevices(aws, tables).create({
    ...{ id: newId("device", at), user_code: "BCDFGHJK", secret_hash: "00", client: "a-program" },
    ...{ machine: "laptop", label: "curl", ip: "203.0.113.7", created_at: at, ends_at: at + minute },
    ...{ polled_at: at, state: "waiting", approval: null },
  });
  const whose = { organization: organization.id, issuer: "https://id.example.com" };
  const connection = {
    ...{ ...whose, client_id: "gateway", secret_box: "", secret_version: 1, scope: "openid" },
    ...{ groups_claim: "groups", rules: [], default_role: "member" as const, changed_at: at },
  };
  await createConnections(aws, tables).save(
    { ...connection, admits: "domain" },
    undefined,
    line("sign_on_changed"),
    false,
  );
  const domains = createDomains(aws, tables);
  const claim = {
    ...{ organization: organization.id, domain: "example.com", token: newToken() },
    ...{ seen_at: null, created_at: at },
  };
  await domains.claim(claim, line("domain_claimed"));
  await domains.prove(claim, undefined, at, line("domain_proved"));
  await provision(place, organization, line);
  await createSignOns(aws, tables).enter({
    person: { ...whose, user: user.id, subject: "ann", email: null, since: at },
    session: {
      ...{ id: newId("session", at), user: user.id, generation: 1, refreshed_at: at, created_at: at },
      ...{ label: "test", ip: "203.0.113.7", ended_at: null, organization: organization.id },
      sign_on: organization.id,
    },
    entries: [line("account_linked")],
  });
  await putWebhook(place, organization.id);
  await createDeliveries(aws, tables).make(newDelivery("whk_1", line("webhook_tested"), at), at);
}

/** A provider has provisioned somebody who has no contact here, and a group. */
async function provision(
  { aws, tables, clock: { now: at } }: Place,
  { id: organization }: Organization,
  line: (kind: AuditedChange["kind"]) => ReturnType<typeof auditEntry>,
): Promise<void> {
  const directories = createDirectories(aws, tables);
  const { token } = newDirectoryToken(organization, at);
  await directories.setToken(organization, { before: null, token }, line("provisioning_token_made"));
  const group = { id: newId("group", at), name: "staff", external_id: null, created_at: at, changed_at: at };
  await directories.changeGroups({ organization, list: [], revision: 0 }, [group], line("group_made"));
  const user: User = {
    ...{ id: newId("user", at), name: "Bob", locale: "en", status: "active" },
    ...{ organization: newId("organization", at), created_at: at },
  };
  const { id } = user;
  const after: DirectoryPerson = {
    ...{ id, organization, user_name: "bob@example.com", external_id: null, display_name: "Bob" },
    ...{ formatted: null, given_name: null, family_name: null, emails: [], active: true },
    ...{ groups: [group.id], made: true, linked_issuer: null, revision: 1, created_at: at, changed_at: at },
  };
  const taken = [{ name: after.user_name, from: undefined }];
  const standing = {
    is: "joined" as const,
    membership: { user: id, organization, role: "member" as const, since: at },
  };
  const entries = [line("person_provisioned")];
  const change = { organization, after, user, taken, freed: [], standing, entries };
  await directories.change(change, token.id);
}
