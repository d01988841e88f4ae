/** Wrong codes, counted for the address and the network that they come from, whichever phones they are for. */
import { expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { createGuessGuard } from "#shared/people/identity/guess-guard.ts";
import { type Answer, codeOf, newPhone, openPeople, wrongCode } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const velocity = createVelocity(db.aws, db.tables);
const { guessesOfIpHourMax: mostOfIp, guessesOfNetworkHourMax: mostOfNetwork } = consoleLimits;

let networks = 0;

/** People whose guesses are counted, in a network that no other test has. */
function guessing() {
  const guesses = createGuessGuard({
    velocity,
    log: (_level, event, fields = {}) => void people.lines.push({ event, fields }),
    now: () => people.clock.now,
  });
  const people = openPeople(db, { deps: { guesses } });
  networks += 1;
  const ipOf = (host: number) => `198.18.${networks}.${host}`;
  const from = async (ip: string, body: object, route = "sign-in"): Promise<Answer> =>
    await people.ask(`POST /api/v1/auth/${route}`, body, { ip });
  /** Guesses at one moment, each for another phone that nobody has asked a code for. */
  const guessWrong = async (count: number, ip = ipOf(1)): Promise<number[]> => {
    const guess = () => from(ip, { phone: newPhone(), code: "123456" });
    return (await Promise.all(Array.from({ length: count }, guess))).map(codeOf);
  };
  return { people, ipOf, from, guessWrong };
}

test("one address guesses so often an hour, a right code is refused then too, and is good from the next address", async () => {
  const { people, ipOf, from, guessWrong } = guessing();
  const phone = newPhone();
  const body = { phone, code: await people.codeFor(phone) };
  const codes = await guessWrong(mostOfIp + 40);
  expect(codes.filter((code) => code === 40112)).toHaveLength(mostOfIp);
  expect(codes.filter((code) => code === 42910)).toHaveLength(40);
  people.clock.now += 60_000;
  for (let time = 1; time <= 6; time++) {
    const refused = await from(ipOf(1), body, "sign-up");
    expect([refused.status, refused.body.error.code, refused.headers["retry-after"]]).toEqual([
      429,
      42910,
      String(58 * 60),
    ]);
    expect(refused.body.error.message).toBe(
      "Too many wrong codes came from your network. Try again in 58 minutes.",
    );
    expect(refused.body.error.reason).toBe("wrong_codes");
  }
  expect(people.lines).toContainEqual({ event: "guess_refused", fields: { reason: "ip" } });
  // The code has lost no guess by that.
  for (let wrong = 1; wrong <= 4; wrong++)
    expect(codeOf(await from(ipOf(2), { phone, code: wrongCode(body.code) }))).toBe(40111);
  expect((await from(ipOf(2), body, "sign-up")).status).toBe(201);
});

test("what an address may is back with the next hour", async () => {
  const { people, guessWrong } = guessing();
  await guessWrong(mostOfIp);
  people.clock.now = Date.parse("2026-11-23T12:59:59.999Z");
  expect(await guessWrong(1)).toEqual([42910]);
  people.clock.now += 1;
  expect(await guessWrong(1)).toEqual([40112]);
});

test("right codes are not counted, also those that do not fit the route, so one address serves a whole office", async () => {
  const { people, ipOf, from, guessWrong } = guessing();
  expect(await guessWrong(mostOfIp - 1)).toEqual(Array(mostOfIp - 1).fill(40112));
  for (let person = 1; person <= 5; person++) {
    const phone = newPhone();
    const body = { phone, code: await people.codeFor(phone) };
    people.clock.now -= 60_000;
    people.clock.now += person;
    expect(codeOf(await from(ipOf(1), body))).toBe(40113);
    expect((await from(ipOf(1), body, "sign-up")).status).toBe(201);
  }
  expect((await guessWrong(2)).toSorted()).toEqual([40112, 42910]);
});

test("a network has a limit over its addresses, of IPv4 and of IPv6", async () => {
  const { people, ipOf, guessWrong } = guessing();
  const hosts = Math.ceil(mostOfNetwork / mostOfIp);
  for (let host = 1; host <= hosts; host++)
    expect(new Set(await guessWrong(mostOfIp, ipOf(host)))).toEqual(new Set([40112]));
  expect(await guessWrong(1, ipOf(hosts + 1))).toEqual([42910]);
  expect(people.lines).toContainEqual({ event: "guess_refused", fields: { reason: "network" } });
  const six = `2001:db8:${networks}`;
  for (let subnet = 1; subnet <= hosts; subnet++)
    expect(new Set(await guessWrong(mostOfIp, `${six}:${subnet}::${subnet}`))).toEqual(new Set([40112]));
  expect(await guessWrong(1, `${six}:ff::1`)).toEqual([42910]);
});

test("what an address is refused takes no room from its network", async () => {
  const { ipOf, guessWrong } = guessing();
  await guessWrong(mostOfIp * 6);
  for (let host = 2; host <= mostOfNetwork / mostOfIp; host++)
    expect(new Set(await guessWrong(mostOfIp, ipOf(host)))).toEqual(new Set([40112]));
});

test.each([{ phone: 1 }, { phone: "+8613800138000" }, { phone: "+8613800138000", code: "１２３４５６" }])(
  "%j is 40000 and no guess",
  async (body) => {
    const { from, ipOf, guessWrong } = guessing();
    for (let time = 1; time <= 3; time++) expect(codeOf(await from(ipOf(1), body))).toBe(40000);
    expect(new Set(await guessWrong(mostOfIp))).toEqual(new Set([40112]));
  },
);
