/** SCIM: what keeps a provider to its own organization, and people out whom it has deactivated. */
import type { Row } from "#test/guards/guard.ts";

const people = "shared/edges/console/operations/scim";
const claims = "shared/edges/console/operations/scim-claims";
const groups = "shared/edges/console/operations/scim-groups";
const same = "shared/edges/console/operations/scim-same-person";
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
    guard: "return linked_issuer === null || (made && linked_issuer !== issuer);",
    without: "return true;",
  },
  {
    id: "scim-5",
    test: `${people} › who is deactivated before the first sign-in gets no account another way`,
    guard: "if (isOff || (person && !person.active)) throw deactivated();",
    without: "",
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
    guard: "const wanted = external_id_claim === null ? name : external_id;",
    without: "const wanted = name;",
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
  {
    id: "scim-22",
    test: `${same} › %s is another person, who gets nothing of the one before`,
    guard: "return external_id !== null && external_id === fields.external_id;",
    without: "return true;",
  },
  {
    id: "scim-23",
    test: `${same} › of a member whom an admin has removed is another person`,
    guard:
      "const held = isFree && (!gone || back) ? await members.membership(organization, from) : undefined;",
    without:
      'const held: Membership | undefined = from === undefined ? undefined : ((await members.membership(organization, from)) ?? { user: from, organization, role: "member", since: 0 });',
  },
  {
    id: "scim-24",
    test: `${same} › is no conflict, and finds none of them`,
    guard: "if (names.includes(wanted)) found.push(person);",
    without: "if (names.includes(wanted) && found.length === 0) found.push(person);",
  },
  {
    id: "scim-25",
    test: `${same} › so that another subject is the same person, and the one before is nobody`,
    guard: "return since <= (person?.released_at ?? -1);",
    without: "return false;",
  },
  {
    id: "scim-26",
    test: `${same} › of nobody else: no owner, nobody whom SCIM has not provisioned, nobody of another organization`,
    guard: 'if (membership?.role === "owner") throw isOwner();',
    without: "",
  },
  {
    id: "scim-27",
    test: `${same} › that is accepted while they are deactivated does not let them in`,
    guard: "...(isProvisioning ? [notOff(accounts, membership)] : []),",
    without: "",
  },
  {
    id: "scim-28",
    test: `${same} › is read again by a change of its person: the old name gives no role`,
    guard: "...(followsGroups(next, place) && { groups: place.groups }),",
    without: "",
  },
  {
    id: "scim-29",
    test: `${same} › is read again by a sign-in of its person`,
    guard: "...(groups ? [groupsAre(table, groups)] : []),\n        ...foundWrites",
    without: "...foundWrites",
  },
  {
    id: "scim-30",
    test: `${same} › and an account that was released ends nothing of the one that came after it`,
    guard: "if (!found || !(await isPlaceOf(known, deps))) return;",
    without: "if (!found) return;",
  },
  {
    id: "scim-31",
    test: `${same} › and its account of before is nobody also once SCIM has deleted the person and brings them back`,
    guard: "...(released_at !== undefined && { released_at }),",
    in: "scim-people.ts",
    without: "",
  },
  {
    id: "scim-32",
    test: `${same} › and its account of before is nobody where SCIM has deleted the person and is off`,
    guard: "const last = placed ?? (place && (await directories.gone(organization, place.user)));",
    without: "const last = placed;",
  },
  {
    id: "scim-33",
    test: `${groups} › a member whom SCIM names keeps membership and keys until their groups come`,
    guard: "if (!membership || !person.active) return grantOfPerson(person, facts);",
    without: "if (facts) return grantOfPerson(person, facts);",
  },
  {
    id: "scim-34",
    test: `${groups} › a member who is removed meanwhile is not whom SCIM names`,
    guard: "...(membership && !standing && { holding: membership })",
    without: "",
  },
  {
    id: "scim-35",
    test: "shared/edges/console/operations/member-by-address › takes nobody over by a main address, which a colleague may have too",
    guard: "const addressed = held || back ? undefined : await addressedMember(organization, name, deps);",
    without: "const addressed = await addressedMember(organization, fields.emails[0]?.value ?? name, deps);",
  },
];
