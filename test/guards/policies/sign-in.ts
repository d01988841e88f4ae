/** What keeps accounts: codes, phones, sessions and their cookie. */
import type { Row } from "#test/guards/guard.ts";

const codes = "shared/edges/console/operations/sign-in-code";
const guesses = "shared/edges/console/operations/sign-in-guesses";
const users = "shared/edges/console/operations/sign-in-user";
const versions = "shared/edges/console/operations/sign-in-versions";
const sessions = "shared/edges/console/operations/sign-in-session";
const account = "shared/edges/console/operations/sign-in-account";
const tokens = "shared/people/identity/session-token";
const scarce = "shared/edges/console/operations/sign-in-scarce";
const budget = "shared/people/identity/budget";

export const signIn: Row[] = [
  {
    id: "signin-1",
    test: `${codes} › one of 50 requests of one moment is sent`,
    guard: "return (await putItem(aws, table, item, unchanged)).done;",
    without: "return (await putItem(aws, table, item, [])).done;",
    rule: "a phone gets one message a minute",
  },
  {
    id: "signin-2",
    test: `${scarce} › a phone gets ten codes that nobody enters, and another one every three hours`,
    guard: "sent: before ? openAt(before, now) + 1 : 1,",
    without: "sent: 1,",
  },
  {
    id: "signin-3",
    test: `${codes} › of 200 wrong guesses at once five are counted, and then the right code is over too`,
    guard: 'when: [below("tries", consoleLimits.codeTriesMax), isRunning(at)],',
    without: "when: [isRunning(at)],",
    rule: "a guess is counted before it is compared",
  },
  {
    id: "signin-4",
    test: `${codes} › the right code four times at once signs in once`,
    guard: "set: toItem({ ends_at: 0 }),",
    without: "set: toItem({ tries: 1 }),",
    rule: "a code works once",
  },
  {
    id: "signin-5",
    test: `${codes} › a code is good for five minutes less a moment`,
    guard: 'return above("ends_at", at);',
    without: 'return above("ends_at", 1);',
  },
  {
    id: "signin-6",
    test: `${codes} › status, headers and bytes are equal for 200 phones that are known and 200 that are not`,
    guard: "isRight: isSameSecret(record.code, codeHash(contact, digits, each))",
    without: "isRight: true",
    rule: "nobody learns whether a phone is registered without its code",
  },
  {
    id: "signin-7",
    test: `${codes} › after a right code both routes tell, and the code stays good for the other one`,
    guard: "await Promise.all([codes.giveBack(code.name, code.code), guesses.giveBack(counted)]);",
    without: "await guesses.giveBack(counted);",
  },
  {
    id: "signin-8",
    test: `${codes} › codes are stored as HMACs, which need the secret`,
    guard: "const next = nextCode(before, codeHash(contact, code, oldest), at);",
    without: "const next = nextCode(before, code, at);",
  },
  {
    id: "signin-9",
    test: "shared/edges/store/identity/users › of twenty sign-ups with one phone one is stored, whole, and of the others nothing",
    guard: 'const claims = names.map((name) => put(table, claimOf(name, user.id), [absent("user")]));',
    without: "const claims = names.map((name) => put(table, claimOf(name, user.id), []));",
    rule: "one account a phone",
  },
  {
    id: "signin-10",
    test: `${versions} › a user who signs up during the rotation is known to old processes, and after the drop`,
    guard: "const names = eachVersion(proved.keys).map((each) => contactName(proved.contact, each));",
    without: "const names = [contactName(proved.contact, proved.keys.current)];",
    rule: "a phone is claimed under every version of the secret that is in use",
  },
  {
    id: "signin-11",
    test: `${versions} › a user is found under every version, and moves to the current one when they sign in`,
    guard: "...(claims[0] === undefined && { unclaimed: contactName(contact, current) }),",
    without: "",
  },
  {
    id: "signin-12",
    test: `${versions} › a code that was sent before the rotation is good after it, and guessed no more often`,
    guard: "return previous ?? current;",
    in: "sign-in-code.ts",
    without: "return current;",
    rule: "codes go by the oldest version in use, so that all processes count the same guesses",
  },
  {
    id: "signin-13",
    test: `${versions} › after any write is finished by the next sign-in`,
    guard: "return { organization: await makeOrganization(user, deps), role };",
    without: "throw new Error();",
  },
  {
    id: "signin-14",
    test: `${versions} › is finished to the same by a sign-in that stops in the middle while another one passes it`,
    guard: "return await createOrganization(wanted, { ...deps, now: () => user.created_at });",
    without: "return await createOrganization(wanted, deps);",
    rule: "what a sign-up makes depends on the user's record alone",
  },
  {
    id: "signin-15",
    test: `${users} › gives the same user another session, and a frozen one none`,
    guard: 'if (user.status === "frozen") throw new GatewayError("login_frozen");',
    in: "sign-in-user.ts",
    without: "",
  },
  {
    id: "signin-16",
    test: `${sessions} › of twenty tabs at once gives one successor to all`,
    guard: "if (await deps.sessions.refresh(session, organization, deps.now())) return;",
    without: "if (!(await deps.sessions.refresh(session, organization, deps.now()))) throw over();",
  },
  {
    id: "signin-17",
    test: `${sessions} › with an old token ends the session for everybody, and says so`,
    guard: "await sessions.end(user, session.id, now());",
    without: "",
    rule: "an old refresh token ends its session",
  },
  {
    id: "signin-18",
    test: `${sessions} › with the token before the last is good for ten seconds, and for the immediate one only`,
    guard: 'return given === generation - 1 && isRecent ? "repeat" : "reused";',
    without: 'return isRecent ? "repeat" : "reused";',
  },
  {
    id: "signin-19",
    test: `${sessions} › of others is refused, and the token is as good as before`,
    guard: "const membership = membershipFor(open, asked);",
    without:
      "const membership = { organization: asked ?? open.session.organization, role: 'owner' as const };",
  },
  {
    id: "signin-20",
    test: `${account} › ends the session for the very next call, and takes the cookie away`,
    guard:
      'if (!user || !session || !isOpen(session, deps.now())) throw new GatewayError("session_expired");',
    without: 'if (!user || !session) throw new GatewayError("session_expired");',
    rule: "a sign-out acts on the next call",
  },
  {
    id: "signin-21",
    test: `${sessions} › of a frozen user is 40110, and the session is still there when they are unfrozen`,
    guard: 'if (user.status === "frozen") throw new GatewayError("login_frozen");',
    in: "identify.ts",
    without: "",
  },
  {
    id: "signin-22",
    test: `${account} › with %j a refresh is %i`,
    guard: 'if (site === undefined ? isOwnOrigin(headers) : site === "same-origin") return;',
    without: "if (site === undefined || site === 'same-origin') return;",
    rule: "only the console's own pages have the cookie read",
  },
  {
    id: "signin-23",
    test: `${users} › a browser on another site may neither sign up nor in, and a program may`,
    guard: "if (isOther && !(site === undefined && isOwnOrigin(headers))) throw otherSite();",
    without: "",
  },
  {
    id: "signin-24",
    test: `${account} › a session makes 120 a minute, and then waits for the next minute`,
    guard: 'when: [absentOrBelow("n", most)],',
    without: "",
  },
  {
    id: "signin-25",
    test: `${tokens} › with %s is refused`,
    guard: "typ: type,\n    issuer,",
    without: "issuer,",
    rule: "a token of another kind is none",
  },
  {
    id: "signin-26",
    test: `${tokens} › with %s is refused`,
    guard: "issuer,\n    audience,\n    currentDate",
    without: "currentDate",
  },
  {
    id: "signin-27",
    test: `${tokens} › names who calls until ten minutes are over`,
    guard: "currentDate: new Date(now),",
    without: "currentDate: new Date(0),",
  },
  {
    id: "signin-28",
    test: "shared/people/identity/session › with any part changed is none",
    guard: "return keys.some((key) => timingSafeEqual(given, proofOf(said, key))) ? said : undefined;",
    without: "return keys.length > 0 && given.length > 0 ? said : undefined;",
  },
  {
    id: "signin-29",
    test: `${guesses} › one address guesses so often an hour, a right code is refused then too, and is good from the next address`,
    guard: "const [counted, claims] = await Promise.all([deps.guesses.admit(ip), deps.users.claims(names)]);",
    without: "const [counted, claims] = [[], await deps.users.claims(names)];",
    rule: "wrong codes are counted for their address too, whichever phones they are for",
  },
  {
    id: "signin-30",
    test: `${guesses} › right codes are not counted, also those that do not fit the route, so one address serves a whole office`,
    guard: "await Promise.allSettled([guard?.completed(entered), guesses.giveBack(counted)]);",
    without: "await Promise.allSettled([guard?.completed(entered)]);",
  },
  {
    id: "signin-31",
    test: "shared/edges/console/operations/sign-in-invitations › of ten people with one invitation one gets an account (registration open: %s), and the others lose nothing",
    guard:
      'if (outcomes.slice(own.length).some(isFailed)) return "uninvited";\n      throw new Error(`the user',
    without: 'if (outcomes.slice(own.length).some(isFailed)) return "done";\n      throw new Error(`the user',
    rule: "an invitation brings in one person, also while nobody may sign up without one",
  },
  {
    id: "signin-32",
    test: `${versions} › within minutes of the drop a code of either version is good where both are known`,
    guard: "const right = running.find(({ isRight }) => isRight);",
    without: "const [right] = running.at(-1)?.isRight ? running.slice(-1) : [];",
  },
  {
    id: "signin-33",
    test: "shared/edges/console/operations/contention › signs in, or has lost no guess",
    guard:
      'if (outcome === "uninvited" || outcome === "contended") return undefined;\n    if (outcome === "spent")',
    without:
      'if (outcome === "uninvited") return undefined;\n    if (outcome === "contended") throw new Error();\n    if (outcome === "spent")',
    rule: "a right code that others' writes hold up stays good",
  },
  {
    id: "signin-34",
    test: `${scarce} › a code that is entered does not count for its phone`,
    guard: "add: { sent: -1 },",
    without: "",
  },
  {
    id: "signin-35",
    test: `${scarce} › nobody sees by answer or time who has one`,
    guard: ", deps.pause(consoleLimits.smsTimeoutMs)]",
    without: "]",
    rule: "while messages are scarce, the time tells nobody who has an account",
  },
  {
    id: "signin-36",
    test: `${budget} › with ever harder ones get what strangers have, and people with an account sign in`,
    guard: "strangers !== undefined && sent >= strangers);",
    without: "strangers !== undefined && sent < 0);",
    rule: "phones that have an account keep a reserve of the day's messages",
  },
  {
    id: "signin-37",
    test: `${budget} › at one moment get no more either`,
    guard: "most: count.strangers ?? count.most",
    without: "most: count.most",
  },
  {
    id: "signin-38",
    test: `${budget} › without a proof of work get a quarter of what is allowed by now`,
    guard: "if (strangers !== undefined) return hardness(sent, most);",
    without: "",
  },
  {
    id: "signin-39",
    test: `${budget} › leave more for the next hour`,
    guard: "return Math.ceil((most * (hoursOfDay - 1 + hour)) / parts);",
    without: "return Math.ceil((most * (hoursOfDay - 1)) / parts);",
  },
  {
    id: "signin-40",
    test: `${budget} › gets five codes a day that one address asks for, and others from elsewhere`,
    guard: "addressShare(contact, name, asked.ip, at),",
    without: "",
    rule: "no single address shuts a phone out",
  },
];
