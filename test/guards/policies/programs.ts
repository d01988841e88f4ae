/** What keeps the programs that people sign in. */
import type { Row } from "#test/guards/guard.ts";

const device = "shared/edges/console/operations/device";
const attacks = "shared/edges/console/operations/device-attacks";

export const programs: Row[] = [
  {
    id: "program-1",
    test: `${attacks} › looking approves nothing, and an approval names what was shown`,
    guard: "(id !== undefined && id !== found.id)",
    without: "id === 0",
    rule: "a person approves the request that was shown, and no other one of its code",
  },
  {
    id: "program-2",
    test: `${attacks} › a page of another site approves nothing`,
    guard: "  requireSameOrigin(call.request.headers);\n  const fields",
    in: "shared/edges/console/operations/device-approval.ts",
    without: "  const fields",
    rule: "only a page of the console approves",
  },
  {
    id: "program-3",
    test: `${attacks} › of a terminal are good for that terminal: neither a user code nor another secret polls`,
    guard: 'if (!isDeviceCodeOf(code, request)) return "none";',
    without: "",
    rule: "who knows the user code alone gets no key",
  },
  {
    id: "program-4",
    test: `${attacks} › of a terminal are good for that terminal: neither a user code nor another secret polls`,
    guard: "if (polled.client !== client_id) throw noGrant();",
    without: "",
    rule: "another client gets no key",
  },
  {
    id: "program-5",
    test: `${attacks} › give one key, however often and at however many places they are sent`,
    guard: 'if (state === "used") throw noGrant();',
    without: "",
    rule: "a device code works once",
  },
  {
    id: "program-6",
    test: `${attacks} › are guessed so many times an hour, and right ones are not counted`,
    guard: "  const guess = await guesses.admit(ip);\n  const found = await devices.read(code);",
    without: "  const guess = [] as const;\n  const found = await devices.read(code);",
    rule: "user codes are guessed so many times an hour",
  },
  {
    id: "program-7",
    test: `${attacks} › while the key is made`,
    guard: "return [useDevice(accounts, request), check(accounts, userKey(created_by), [isActive])];",
    without: "return [useDevice(accounts, request)];",
    rule: "who is frozen leaves no program behind",
  },
  {
    id: "program-8",
    test: `${device} › of two terminals at one moment gives both the same key`,
    guard: "if (read.program?.generation !== token.generation) throw new QuickerRefresh();",
    without: "",
    rule: "of two refreshes one changes the key",
  },
  {
    id: "program-9",
    test: `${device} › with an old token ends the key: somebody has kept it`,
    guard: "    await endProgram(http, key, found.user, deps);\n  }",
    without: "  }",
    rule: "a refresh token that comes back ends its program",
  },
  {
    id: "program-10",
    test: `${device} › also while it sleeps, and does not wake when all is well again`,
    guard: "isKept(key, now) || isSignedIn(key, now);",
    without: "isKept(key, now);",
    rule: "a program ends with its person also where its key has ended by its time",
  },
  {
    id: "program-11",
    test: `${device} › keeps its end and its secret to itself, and takes limits like any other`,
    guard: 'if (given.includes("expires_at") && key.program)',
    without: 'if (given.includes("expires_at") && key.id === "")',
    rule: "nobody gives the key of a program another end",
  },
  {
    id: "program-12",
    test: `${device} › keeps its end and its secret to itself, and takes limits like any other`,
    guard: "if (key.program && !isByProgram)",
    without: 'if (key.program && key.id === "")',
    rule: "nobody else gives the key of a program another secret",
  },
];
