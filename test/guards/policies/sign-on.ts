/** Sign-on by organizations' own providers: what keeps others out of an organization, and out of accounts. */
import type { Row } from "#test/guards/guard.ts";

const entering = "shared/edges/console/operations/sign-on";
const claims = "shared/edges/console/operations/sign-on-claims";
const domains = "shared/edges/console/operations/sign-on-domains";
const ends = "shared/edges/console/operations/sign-on-ends";
const programs = "shared/edges/console/operations/device-sign-on";
const owners = "shared/edges/console/operations/sign-on-owners";
const settings = "shared/edges/console/operations/sign-on-settings";

export const signOn: Row[] = [
  {
    id: "signon-1",
    test: `${entering} › opens no other organization of its user, neither by its token nor by a refresh`,
    guard: "return sign_on === organization.id && connection_at",
    without: "return connection_at",
  },
  {
    id: "signon-0",
    test: "shared/edges/console/operations/sign-on-certified › where the metadata tell both methods, and the provider takes the second alone of this client",
    guard: "another && isUnknownClient(error)",
    without: "false && another",
  },
  {
    id: "signon-2",
    test: `${settings} › shuts every session of a code out with its next call, and lets those of the provider in`,
    guard: "if (!mayOpen(session, organization)) throw signOnRequired();",
    without: "",
  },
  {
    id: "signon-3",
    test: `${claims} › an ID token %s is refused`,
    guard: "client.enableNonRepudiationChecks(config);",
    without: "",
  },
  {
    id: "signon-4",
    test: `${claims} › an ID token %s is refused`,
    guard: "claims.azp !== provider.client_id",
    without: "false",
  },
  {
    id: "signon-5",
    test: `${entering} › ends once: neither its state nor its code is good again`,
    guard: "if (!(await spendAttempt(attempt.state, attempt.ends_at, deps))) throw over();",
    without: "",
  },
  {
    id: "signon-6",
    test: `${entering} › an answer %s is refused`,
    guard: "|| attempt.organization !== given.organization",
    without: "",
  },
  {
    id: "signon-7",
    test: `${claims} › an address that is not verified, or of another domain, lets nobody in`,
    guard: "const domain = isVerified && email !== null",
    without: "const domain = email !== null",
  },
  {
    id: "signon-8",
    test: `${domains} › nobody loses one by a silence of DNS`,
    guard: "(await hasRecord(theirs, deps.readTexts)) === false",
    without: "!(await hasRecord(theirs, deps.readTexts))",
  },
  {
    id: "signon-9",
    test: `${settings} › a new issuer comes with its own secret: no other one is sent there`,
    guard: "if (secret === undefined && !isSame)",
    without: "if (secret === undefined && !before)",
  },
  {
    id: "signon-10",
    test: `${settings} › a name that leads to a private address is not asked either`,
    guard: "...(!isLocal && { lookup: publicLookup(deps.resolve) }),",
    without: "",
  },
  {
    id: "signon-11",
    test: `${entering} › needs the session that asked for it, and takes no account of somebody else`,
    guard: "if (link) await requireSession(link, deps);",
    without: "",
  },
  {
    id: "signon-12",
    test: `${ends} › ends a day after it began, whatever it does`,
    guard: "const most = sign_on === undefined ? consoleLimits.sessionSecondsMax : providerSeconds;",
    without: "const most = providerSeconds && consoleLimits.sessionSecondsMax;",
  },
  {
    id: "signon-13",
    test: `${ends} › is over with a connection %s, or not`,
    guard: "const ending = isAnother ? [sessionsOver(tables, connection, connection.changed_at)] : [];",
    without: "const ending = isAnother ? [] : [];",
  },
  {
    id: "signon-14",
    test: `${ends} › neither sees nor ends the other sessions of its user, nor their organizations`,
    guard: "return sign_on === undefined || other.sign_on === sign_on;",
    without: "return true;",
  },
  {
    id: "signon-15",
    test: `${ends} › loses the sessions and the keys that came by the provider, and stays a member`,
    guard: "if (isLinked) await endByProvider(by, user.id, deps);",
    without: "",
  },
  {
    id: "signon-16",
    test: `${ends} › is not made of a provider that is removed at that moment`,
    guard: '...(changes.sign_on === "required" ? [sameProvider] : [])',
    without: "",
  },
  {
    id: "signon-17",
    test: `${ends} › is not removed at the moment in which it becomes that`,
    guard: 'exists("pk"), not(equals("sign_on", toAttribute("required")))',
    without: 'exists("pk")',
  },
  {
    id: "signon-18",
    test: `${programs} › is refreshed until the organization takes another provider, and ends then`,
    guard: "const mayWork = organization && mayOpen(key.program, organization);",
    without: "const mayWork = organization;",
  },
  {
    id: "signon-19",
    test: `${programs} › gets no key where the organization took another one after the approval`,
    guard: "if (!mayOpen(approval, organization) || !(await isStillIn(approval, deps))) throw denied();",
    without: "if (!(await isStillIn(approval, deps))) throw denied();",
  },
  {
    id: "signon-20",
    test: `${programs} › gets no key where that session has ended after the approval`,
    guard: "if (!mayOpen(approval, organization) || !(await isStillIn(approval, deps))) throw denied();",
    without: "if (!mayOpen(approval, organization)) throw denied();",
  },
  {
    id: "signon-21",
    test: `${ends} › that begins while its provider is removed is over as it begins`,
    guard: "const ending = sessionsOver(tables, connection, connection.changed_at + 1, true);",
    without: "const ending = sessionsOver(tables, connection, connection.changed_at, true);",
  },
  {
    id: "signon-23",
    test: "shared/edges/console/operations/sign-on-projects › that names a project of another organization, or one that is archived",
    guard: "isArchived(organization, handle) ? [] : [handle]",
    without: "[handle]",
  },
  {
    id: "signon-24",
    test: "shared/edges/console/operations/sign-on-projects › who comes back after they were deactivated has what their groups give, and no more",
    guard: "if (!person.active) return { role: null, projects: [] };",
    without: "if (!person.active) return before;",
  },
  {
    id: "signon-22",
    test: `${ends} › needs a domain by which people find it, and keeps the last one`,
    guard: 'if (sign_on === "required" && !(await hasDomain(id, claim.domain, deps)))',
    without: 'if (sign_on === "required" && !(await hasDomain(id, undefined, deps)))',
  },
  {
    id: "signon-25",
    test: "shared/edges/console/operations/member-by-address › is the member's whose own address it is, once, also where the provider is the only way in",
    guard: "if (!named || named.from !== undefined) return undefined;",
    without: "if (!named) return undefined;",
  },
  {
    id: "signon-26",
    test: "shared/edges/console/operations/member-by-address › finds no owner",
    guard: 'if (!membership || membership.role === "owner") return undefined;',
    without: "if (!membership) return undefined;",
  },
  {
    id: "signon-27",
    test: "shared/edges/console/operations/member-by-address › finds nobody who has given up, or has, %s",
    guard: "...foundWrites(tables, entrance),",
    without: "",
  },
  {
    id: "signon-28",
    test: "shared/edges/console/operations/member-by-address › takes over no owner, nobody in a domain that is not proved, and nobody whom it has deleted",
    guard:
      "if (!claim || !isProved(claim, deps.now())) return undefined;\n  const found = await memberByAddress",
    without: "const found = await memberByAddress",
  },
  {
    id: "signon-29",
    test: `${owners} › where SCIM has named them while the organization had no connection`,
    guard: 'if (isFound && membership?.role === "owner") throw isOwner();',
    without: "",
  },
  {
    id: "signon-30",
    test: `${owners} › by a sign-in that has read them as a member`,
    guard: "...((own || told.isFound) && membership && !change && { holding: membership }),",
    without: "...(own && membership && !change && { holding: membership }),",
  },
  {
    id: "signon-32",
    test: `${ends} › loses the sessions by the provider, however many newer ones they have`,
    guard: "const all = await Array.fromAsync(deps.sessions.since(user, from));",
    without: "const all = (await Array.fromAsync(deps.sessions.since(user, from))).slice(0, 100);",
  },
  {
    id: "signon-33",
    test: "shared/edges/console/operations/sign-on-projects › a project that a group gave is nobody's once the provider is removed",
    guard: "return sign_on_removed ? [] : projects;",
    without: "return projects;",
  },
  {
    id: "signon-31",
    test: "shared/edges/console/operations/member-by-address › a first sign-in finds nobody whom SCIM names meanwhile, also by another name by now",
    guard: '...(unnamed ? [check(table, unnamed, [absent("user_name")])] : []),',
    without: "",
  },
];
