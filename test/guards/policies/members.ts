import type { Row } from "#test/guards/guard.ts";

const membersTests = "shared/edges/console/operations/organization-members";
const invitations = "shared/edges/console/operations/organization-invitations";
const invitationLimits = "shared/edges/console/operations/organization-invitation-limits";
const keys = "shared/edges/console/operations/organization-keys";
const chains = "shared/edges/api/key-chains";
const departures = "shared/edges/console/operations/organization-member-keys";
const sessions = "shared/calls/access/sessions";

/** Who may do what in an organization, and that no race takes its last owner or uses an invitation twice. */
export const members: Row[] = [
  {
    id: "members-1",
    test: `${membersTests} › owners who all leave: one stays, and every line of the log is a change that was made`,
    guard: 'holding.push({ organization: organization.id, user: witness, role: "owner" });',
    without: "",
  },
  {
    id: "members-2",
    test: `${membersTests} › of the last owner is 40910, and so is another role`,
    guard: "if (witness === undefined) throw lastOwner();",
    without: "if (witness === undefined) return { before, holding, entry: entryOf(call, audited, deps) };",
  },
  {
    id: "members-3",
    test: `${membersTests} › an owner who was made less meanwhile changes nobody`,
    guard: "const holding: RoleHeld[] = [{ organization: organization.id, user: user.id, role: actor }];",
    without: "const holding: RoleHeld[] = [];",
  },
  {
    id: "members-4",
    test: `${membersTests} › follows the table: who may make whom what`,
    guard: "rightsOf[role].every((right) => mayDo(giver, right))",
    without: 'role !== "owner"',
  },
  {
    id: "members-5",
    test: `${membersTests} › an admin removes nobody who is an owner, and a member removes nobody`,
    guard: "if (!leaves) requireManaging(actor, before.role);",
    without: "",
  },
  {
    id: "members-6",
    test: `${membersTests} › keeps a record without a role, which is no membership for any reader and gives way to a new one`,
    guard: "return item?.role ? readRecord<Membership>(item) : undefined;",
    without: "return item && readRecord<Membership>(item);",
  },
  {
    id: "members-7",
    test: `${invitations} › twenty people with one token: one of them`,
    guard: 'equals("accepted_by", toAttribute(null)),',
    without: "",
  },
  {
    id: "members-8",
    test: `${invitations} › does not bring back who was removed`,
    guard: "const holding = isOpen(invitation, now) && (await inviterOf(invitation, deps));",
    without: "const holding = await inviterOf(invitation, deps);",
  },
  {
    id: "members-9",
    test: `${invitations} › who was %s has invited nobody`,
    guard: "return giver && mayGive(giver.role, role)",
    without: "return giver",
  },
  {
    id: "members-10",
    test: `${invitations} › who is %s between reading and writing has invited nobody`,
    guard: "...membershipWrites(tables, membership),\n    ...holdingWrites(tables, [holding]),",
    without: "...membershipWrites(tables, membership),",
  },
  {
    id: "members-21",
    test: `${invitations} › who is frozen has invited nobody, and has again when they are not`,
    guard: 'if (users.get(inviter)?.status !== "active") return undefined;',
    without: "",
  },
  {
    id: "members-22",
    test: `${invitations} › who is %s between reading and writing has invited nobody`,
    guard: "isActive(accounts, inviter),",
    without: "",
  },
  {
    id: "members-23",
    test: `${invitationLimits} › has at most fifty open invitations, also of sixty that are made at once`,
    guard: 'when: [changes === undefined ? absent("changes") : equals("changes", toAttribute(changes))],',
    without: "",
  },
  {
    id: "members-24",
    test: "shared/edges/store/key-counts › forty of one moment, by four people and by programs: as many as there may be, and no more",
    guard: 'when: [below("keys", most[of])] }',
    without: "when: [] }",
    rule: "so many keys are in use at most",
  },
  {
    id: "members-27",
    test: "shared/edges/store/key-counts › a key with a limit is busy, and not stored: %s",
    guard: "if (!most || !(isContention(error) || isOverload(error))) throw error;",
    without: "throw error;",
    rule: "many keys at one moment are 42901, and no error of ours",
  },
  {
    id: "members-25",
    test: "shared/edges/store/key-counts › %s, is not missed",
    guard: 'when: [changes ? equals("changes", changes) : absent("changes")],',
    without: "",
  },
  {
    id: "members-26",
    test: `${keys} › are both written or neither, where the process dies %s a transaction`,
    guard: "(key) => [auditWrite(tables, entryOf(key))]",
    without: "() => []",
    rule: "no key is made or revoked without its line in the audit log",
  },
  {
    id: "members-11",
    test: `${invitations} › it is for that phone alone, which is stored as a hash and four digits`,
    guard: "if (!isTheirs || !(await isFor(user, invitation, deps))) throw noInvitation();",
    without: "if (!isTheirs) throw noInvitation();",
  },
  {
    id: "members-12",
    test: `${invitations} › changes no role of who is a member already, and stays good for somebody else`,
    guard: "if (present) return { membership: present };",
    without: "",
  },
  {
    id: "members-13",
    test: `${keys} › of somebody else, of a program or of another organization is 40401 for a member, and nobody's is lost`,
    guard: "managesAll(rights) || isOwn(await accounts.key(rights.organization.id, id), rights)",
    without: "true",
  },
  {
    id: "members-14",
    test: `${keys} › that manages keys is made only by who manages all of them`,
    guard: "if (!managesAll(rights))\n    throw denied(",
    without: "if (false)\n    throw denied(",
  },
  {
    id: "members-15",
    test: `${keys} › a frozen organization gets no new key, and can revoke`,
    guard: 'if (organization.status === "frozen") throw new GatewayError("account_frozen");',
    without: "",
    in: "keys.ts",
  },
  {
    id: "members-16",
    test: "shared/edges/console/operations/organization-audit › of finance sees the part about money, whole, and an admin sees all of it",
    guard: "if (!billing || isBilling(entry.kind)) entries.push(entry);",
    without: "entries.push(entry);",
  },
  {
    id: "members-17",
    test: "shared/edges/console/operations/organization-audit › an entry that is there stays as it is",
    guard: 'await putItem(aws, accounts, auditItem(entry), [absent("pk")]);',
    without: "await putItem(aws, accounts, auditItem(entry), []);",
  },
  {
    id: "members-18",
    test: `${sessions} › takes a session of a role that may, and no other`,
    guard: 'if (access !== "member" && !mayDo(caller.role, access)) {\n    const where',
    without: "if (false) {\n    const where",
  },
  {
    id: "members-19",
    test: `${sessions} › a member sees the calls and receipts of their own keys, and an owner all of them`,
    guard: "const isSeen = call.member && (await seenBy(call.member, deps));",
    without: "const isSeen = undefined;",
  },
  {
    id: "members-20",
    test: `${sessions} › goes by x-api-key where both are sent, and knows only keys where the function has no accounts`,
    guard: 'if (headers["x-api-key"]?.trim()) return false;',
    without: "",
  },
  {
    id: "members-31",
    test: `${chains} › has no key left that manages keys or the cache: %s`,
    guard: 'if (!role || !mayDo(role, "manage_all_keys")) {',
    without: "if (!role) {",
  },
  {
    id: "members-32",
    test: `${chains} › manages keys only where the organization allows it, at any length of the chain`,
    guard: 'if (rights.key && !permissions.includes("manage_keys")) {',
    without: "if (false) {",
  },
  {
    id: "members-33",
    test: `${chains} › the key that makes it is revoked`,
    guard: "checks.push(check(keys, keyOfOrganization(organization, parent), [isActive]));",
    without: "",
    rule: "a key that is revoked leaves no key behind that nobody looks for",
  },
  {
    id: "members-34",
    test: `${chains} › the person at the root is removed`,
    guard: 'checks.push(check(accounts, membershipKey(person, organization), [isAmong("role", may)]));',
    without: "",
    rule: "nobody who is removed leaves a key behind that nobody looks for",
  },
  {
    id: "members-35",
    test: `${departures} › takes the keys along that manage keys, each with its line, and the owner chooses for the rest`,
    guard: "isKnownTo(key, user) && isInUse(key, at) && isEnded[ending](key),",
    without: 'isKnownTo(key, user) && isInUse(key, at) && ending === "all",',
    rule: "whoever is removed leaves no key that manages keys",
  },
  {
    id: "members-36",
    test: `${departures} › who only gets a role that manages none loses the same keys, and the others go on`,
    guard: "await endKeysOf({ actor: caller, request: call.request }, changed.user, ending, deps);",
    without: ";",
  },
  {
    id: "members-37",
    test: `${departures} › where the process dies in between, a repetition ends the rest, and no program of ours depends on it`,
    guard: 'gone !== undefined || (isId(id, "user") && mayDo(role, "manage_members"))',
    without: "gone !== undefined",
  },
  {
    id: "members-38",
    test: `${departures} › is made so by an owner alone, with a line, and without losing its other permissions`,
    guard: 'if (allowed !== undefined && role !== "owner") {',
    without: "if (false) {",
  },
  {
    id: "members-39",
    test: "shared/calls/access/authenticate › %s of an earlier form is looked for, once in ten seconds",
    guard: "if (refused) return { principal: refused.whose, isGood: false };",
    without: "",
  },
  {
    id: "members-40",
    test: "shared/calls/access/authenticate › a flood of wrong keys is remembered within a bound",
    guard: "if (this.#refused.size >= limits.refusedKeysMax) this.#refused.clear();",
    without: "",
  },
  {
    id: "members-41",
    test: "shared/people/identity/audit-lines › %s with an API key writes nothing about the organization without the line of the table",
    guard:
      'if (audited) await audited.auditedKeys.emptyCache(id, audited.entryOf("cache_emptied", id, {}));\n  else',
    without: "",
  },
];
