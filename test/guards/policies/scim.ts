/** SCIM: what keeps a provider to its own organization, and people out whom it has deactivated. */
import type { Row } from "#test/guards/guard.ts";

const people = "shared/edges/console/operations/scim";
const claims = "shared/edges/console/operations/scim-claims";
const attacks = "shared/edges/console/operations/scim-attacks";

export const scim: Row[] = [
  {
    id: "scim-1",
    test: `${attacks} › is of one organization: what another one has is not there`,
    guard: "|| !isTokenOf(token, given.secret)",
    without: "",
  },
  {
    id: "scim-2",
    test: `${people} › an owner is not touched: neither deactivated, nor deleted, nor given another role`,
    guard: "if (!after.active) refuseOwner(membership);",
    without: "",
  },
  {
    id: "scim-3",
    test: `${people} › who is deactivated loses session, program keys and keys that manage keys with that answer`,
    guard: "if (role === null) await endByProvider(caller, id, deps);\n  else if",
    without: "if",
  },
  {
    id: "scim-4",
    test: `${attacks} › finds a person once: another subject with it gets nothing`,
    guard: "wanted.linked_issuer !== issuer",
    without: "true",
  },
  {
    id: "scim-5",
    test: `${people} › who is deactivated before the first sign-in gets no account another way`,
    guard: "if (isOff || (person && !person.active)) {",
    without: "if (false) {",
  },
  {
    id: "scim-6",
    test: `${people} › nobody whom it has not provisioned becomes a member, and who is one stays`,
    guard: "if (person || membership) return;",
    without: "return;",
  },
  {
    id: "scim-7",
    test: `${attacks} › a sign-in that has read an active person fails once they are deactivated`,
    guard: "...(provisioned ? [linkWrite(table, provisioned.person, provisioned.issuer)] : []),",
    without: "",
  },
  {
    id: "scim-8",
    test: `${attacks} › a new person of a token that ends meanwhile is not made`,
    guard:
      'const when = [equals("token_id", toAttribute(token)), absentOrBelow("people", scimLimits.peopleMax)];',
    without: 'const when = [absentOrBelow("people", scimLimits.peopleMax)];',
  },
  {
    id: "scim-9",
    test: `${attacks} › two changes both act`,
    guard: 'before ? equals("revision", toAttribute(before.revision)) : absent("user_name")',
    without: 'before ? exists("user_name") : absent("user_name")',
  },
  {
    id: "scim-10",
    test: `${claims} › finds the person of the external id, without a verified address, and no address finds one then`,
    guard: "return found.length === 1 ? found[0] : undefined;",
    without: "return found[0];",
  },
  {
    id: "scim-11",
    test: `${claims} › finds the person of the external id, without a verified address, and no address finds one then`,
    guard: "claim === null || (known !== undefined && !isUnnamed)",
    without: "true",
  },
  {
    id: "scim-20",
    test: "shared/edges/console/operations/scim-attacks › of somebody who came before SCIM named them shuts them out once SCIM deactivates that person",
    guard: "isOff: isUnnamed && wanted?.active === false,",
    without: "isOff: false,",
  },
  {
    id: "scim-21",
    test: "shared/edges/console/operations/scim-groups › a group that is renamed moves everybody in it, also where a crash has left some",
    guard: "const isNamed = isRenamed || name !== undefined;",
    without: "const isNamed = isRenamed;",
  },
];
