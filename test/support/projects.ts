/** An organization whose people use projects, over the console's routes. */
import type { Organization } from "#shared/books/accounts/account.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import type { Database } from "./dynamodb.ts";
import { openMembers, type Person } from "./members.ts";

/** An organization with an owner, an admin, two members and finance. */
export async function openProjects(db: Database) {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const of = async (role: Parameters<typeof desk.newMember>[1], name: string) =>
    await desk.newMember(acme, role, name);
  const [ann, bob, eve, fay] = [
    await of("owner", "Ann"),
    await of("member", "Bob"),
    await of("member", "Eve"),
    await of("finance", "Fay"),
  ];
  const ask = async (by: Person, route: string, body?: object) => await desk.ask([by, acme], route, body);
  const make = async (body: object, by = ann) => await ask(by, "POST /api/v1/projects", body);
  const change = async (id: string, body: object, by = ann) =>
    await ask(by, `PATCH /api/v1/projects/${encodeURIComponent(id)}`, body);
  const list = async (by = ann, query = "") => (await ask(by, `GET /api/v1/projects${query}`)).body;
  const idsOf = async (by = ann) => (await list(by)).data.map(({ id }: { id: string }) => id);
  const newKey = async (project_id: string, by = ann) =>
    await ask(by, "POST /api/v1/keys", { billing_mode: "payg", project_id });
  const stored = async () => (await createAccounts(db.aws, db.tables).organization(acme.id)) as Organization;
  return { desk, acme, ann, bob, eve, fay, ask, make, change, list, idsOf, newKey, stored };
}
