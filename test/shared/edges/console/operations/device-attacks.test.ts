/** Programs that people sign in: the attacks of programs.md, and who may let one in. */
import { beforeEach, describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { setUserStatus } from "#shared/edges/operator/users.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { codeOf } from "#test/support/members.ts";
import { client_id, openedPrograms } from "#test/support/programs.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, accounts } = stores;

const opened = async (changes?: Parameters<typeof openedPrograms>[1]) =>
  await openedPrograms(stores, changes);
type Opened = Awaited<ReturnType<typeof opened>>;

describe("phishing by code", () => {
  test("the page shows what asks and from where, and whether that is another network", async () => {
    const { desk, acme, ann } = await opened();
    const far = { ip: "198.51.100.9", headers: { "user-agent": "node/24\u0000 \u202e" } };
    const { user_code } = await desk.start({ device_name: "their-box" }, far);
    const look = { user_code: user_code.toLowerCase() };
    const { body } = await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", look);
    expect(body).toEqual({
      ...{ id: expect.stringMatching(/^dev_/), object: "device", user_code, client: client_id },
      ...{ machine: "their-box", label: "node/24 ", ip: far.ip, same_network: false },
      created_at: "2026-11-21T12:30:00.000Z",
      expires_at: "2026-11-21T12:40:00.000Z",
    });
    const near = await desk.start({}, { ip: `${desk.network}.200` });
    const shown = await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", {
      user_code: near.user_code,
    });
    expect(shown.body.same_network).toBe(true);
  });

  test("looking approves nothing, and an approval names what was shown", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", { user_code });
    expect((await desk.poll(device_code)).body.error).toBe("authorization_pending");
    const other = { user_code, id: "dev_01KAJ2X5P00000000000000000", approve: true, billing_mode: "payg" };
    expect(codeOf(await desk.askPage([ann, acme], "POST /api/v1/auth/device/decide", other))).toBe(40400);
    const none = { user_code, approve: true, billing_mode: "payg" };
    expect(codeOf(await desk.askPage([ann, acme], "POST /api/v1/auth/device/decide", none))).toBe(40000);
    expect((await desk.poll(device_code)).body.error).toBe("authorization_pending");
  });

  test("a page of another site approves nothing", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    const { body } = await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", { user_code });
    const decision = { user_code, id: body.id, approve: true, billing_mode: "payg" };
    for (const headers of [
      { host: "console.example", "sec-fetch-site": "cross-site" },
      { host: "console.example", origin: "https://evil.example" },
      { host: "console.example" },
    ]) {
      const refused = await desk.askPage([ann, acme], "POST /api/v1/auth/device/decide", decision, {
        headers,
      });
      expect(codeOf(refused)).toBe(40300);
    }
    expect((await desk.poll(device_code)).body.error).toBe("authorization_pending");
  });

  test("a code ends after ten minutes, for the page and for the terminal", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    desk.clock.now += consoleLimits.deviceCodeSeconds * 1000;
    expect(codeOf(await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", { user_code }))).toBe(
      40400,
    );
    expect((await desk.poll(device_code)).body.error).toBe("expired_token");
  });

  test("an approval that nobody fetched ends with its code", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.approve([ann, acme], user_code);
    desk.clock.now += consoleLimits.deviceCodeSeconds * 1000;
    expect((await desk.poll(device_code)).body.error).toBe("expired_token");
  });

  test("who refuses is believed", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    const denied = await desk.approve([ann, acme], user_code, { approve: false, billing_mode: null });
    expect(denied.body.approved).toBe(false);
    expect((await desk.poll(device_code)).body.error).toBe("access_denied");
    expect(codeOf(await desk.approve([ann, acme], user_code))).toBe(40400);
  });
});

describe("codes", () => {
  test("are guessed so many times an hour, and right ones are not counted", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code } = await desk.start();
    const look = (code: string) =>
      desk.askPage([ann, acme], "POST /api/v1/auth/device/look", { user_code: code });
    for (let n = 0; n < 3; n++) expect((await look(user_code)).status).toBe(200);
    for (let n = 0; n < consoleLimits.guessesOfIpHourMax; n++)
      expect(codeOf(await look("BBBB-BBBB"))).toBe(40400);
    expect(codeOf(await look("BBBB-BBBB"))).toBe(42910);
    expect(codeOf(await look(user_code))).toBe(42910);
  });

  test.each(["", "BCDF", "BCDF-GHJA", "BCDF-GHJ1", "BCDF-GHJK-L"])("%j is none", async (user_code) => {
    const { desk, acme, ann } = await opened();
    const { body } = await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", { user_code });
    expect(body.error).toMatchObject({ code: 40000, reason: "user_code" });
  });

  test("are given to an address so many times an hour", async () => {
    const { desk } = await opened();
    for (let n = 0; n < consoleLimits.devicesOfIpHourMax; n++)
      expect((await desk.post("code", { client_id })).status).toBe(200);
    expect(await desk.post("code", { client_id })).toMatchObject({
      status: 429,
      body: { error: "slow_down" },
    });
    expect((await desk.post("code", { client_id }, { ip: `${desk.network}.8` })).status).toBe(200);
  });

  test("are polled every five seconds, and too early a poll changes nothing", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.approve([ann, acme], user_code);
    const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id, device_code };
    const answers = [
      await desk.post("token", { ...form, client_id: "other" }),
      await desk.post("token", form),
    ];
    expect(answers.map(({ body }) => body.error)).toEqual(["invalid_grant", "slow_down"]);
    expect((await desk.poll(device_code)).status).toBe(200);
  });

  test("of a terminal are good for that terminal: neither a user code nor another secret polls", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.approve([ann, acme], user_code);
    const place = device_code.split(".")[0];
    for (const text of [
      user_code,
      place,
      `${place}.${"x".repeat(43)}`,
      `BBBBBBBB.${device_code.split(".")[1]}`,
    ])
      expect([text, (await desk.poll(text)).body.error]).toEqual([text, "invalid_grant"]);
    expect((await desk.poll(device_code, { client_id: "other" })).body.error).toBe("invalid_grant");
    expect((await desk.poll(device_code)).status).toBe(200);
  });

  test("give one key, however often and at however many places they are sent", async () => {
    const { desk, acme, ann } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.approve([ann, acme], user_code);
    expect((await desk.poll(device_code)).status).toBe(200);
    expect((await desk.poll(device_code)).body.error).toBe("invalid_grant");
    expect((await accounts.keys(acme.id, { limit: 10 })).keys).toHaveLength(1);
  });
});

describe("an approval", () => {
  let at: Opened;
  beforeEach(async () => {
    at = await opened();
  });

  test("is for who manages keys: finance is refused, and a stranger to the organization has no token", async () => {
    const { desk, acme } = at;
    const eve = await desk.newMember(acme, "finance");
    const { user_code } = await desk.start();
    for (const path of ["look", "decide"]) {
      const body = { user_code, id: "dev_01KAJ2X5P00000000000000000", approve: true, billing_mode: "payg" };
      const asked = path === "look" ? { user_code } : body;
      expect(codeOf(await desk.askPage([eve, acme], `POST /api/v1/auth/device/${path}`, asked))).toBe(40300);
    }
    const stranger = await desk.newPerson();
    const refused = await desk.askPage([stranger, acme], "POST /api/v1/auth/device/look", { user_code });
    expect(codeOf(refused)).toBe(40103);
  });

  test("is for no project whose members keep it for themselves", async () => {
    const { desk, acme, olga, ann } = at;
    const project = { name: "Search", members: [olga.user.id] };
    expect((await desk.ask([olga, acme], "POST /api/v1/projects", project)).status).toBe(200);
    const { user_code } = await desk.start();
    const { body } = await desk.askPage([ann, acme], "POST /api/v1/auth/device/look", { user_code });
    const wanted = { user_code, id: body.id, approve: true, billing_mode: "payg", project_id: "search" };
    expect(codeOf(await desk.askPage([ann, acme], "POST /api/v1/auth/device/decide", wanted))).toBe(40300);
  });

  test("makes a key of the organization that was shown, whichever others the person is in", async () => {
    const { desk, acme, ann, principal } = at;
    const other = await desk.newOrganization();
    await desk.join(ann, other.id, "owner");
    const { access_token, refresh_token } = await desk.signIn([ann, other]);
    expect((await principal(access_token))?.organization.id).toBe(other.id);
    expect((await desk.askPage([ann, acme], "GET /api/v1/auth/programs")).body.data).toEqual([]);
    const [, key, generation, proof] = refresh_token.split(".");
    const moved = `${acme.id}.${key}.${generation}.${proof}`;
    expect((await desk.refresh(moved)).body.error).toBe("invalid_grant");
  });

  test.each(["removed", "demoted", "frozen"])(
    "leaves no key behind where its person is %s before the key is made",
    async (how) => {
      const { desk, acme, olga, ann } = at;
      const { user_code, device_code } = await desk.start();
      await desk.approve([ann, acme], user_code);
      const path = `/api/v1/members/${ann.user.id}`;
      const statuses = createUserStatuses(db.aws, db.tables);
      if (how === "removed") await desk.askPage([olga, acme], `DELETE ${path}`);
      else if (how === "demoted") await desk.askPage([olga, acme], `PATCH ${path}`, { role: "finance" });
      else await setUserStatus(ann.user.id, "frozen", { statuses });
      expect((await desk.poll(device_code)).body.error).toBe("access_denied");
      expect((await accounts.keys(acme.id, { limit: 10 })).keys).toEqual([]);
    },
  );

  test.each(["removed", "frozen"])(
    "leaves no key behind where its person is %s while the key is made",
    async (how) => {
      const real = createAuditedKeys(db.aws, db.tables);
      const { desk, acme, olga, ann } = await opened({
        auditedKeys: {
          ...real,
          create: async (...made) => {
            if (how === "removed") await desk.askPage([olga, acme], `DELETE /api/v1/members/${ann.user.id}`);
            else await createUserStatuses(db.aws, db.tables).set(ann.user.id, "frozen");
            return await real.create(...made);
          },
        },
      });
      const { user_code, device_code } = await desk.start();
      await desk.approve([ann, acme], user_code);
      expect((await desk.poll(device_code)).body.error).toBe("access_denied");
      expect((await accounts.keys(acme.id, { limit: 10 })).keys).toEqual([]);
    },
  );

  test("happens once, and names a way to pay that there is", async () => {
    const { desk, acme, ann } = at;
    const { user_code } = await desk.start();
    const wrong = await desk.approve([ann, acme], user_code, { billing_mode: "subscription" });
    expect(wrong.body.error).toMatchObject({ code: 40000, reason: "billing_mode" });
    expect((await desk.approve([ann, acme], user_code)).status).toBe(200);
    expect(codeOf(await desk.approve([ann, acme], user_code))).toBe(40400);
  });

  test("is refused in a frozen organization", async () => {
    const { desk, acme, ann } = at;
    const { user_code } = await desk.start();
    await accounts.setStatus(acme.id, "frozen");
    expect(codeOf(await desk.approve([ann, acme], user_code))).toBe(40102);
  });

  test("is refused where the person has all programs that they may have, until one ends", async () => {
    const { desk, acme, ann } = at;
    for (let n = 0; n < consoleLimits.programsOfMemberMax; n++) await desk.signIn([ann, acme]);
    const { user_code } = await desk.start();
    const full = await desk.approve([ann, acme], user_code);
    expect(full.body.error).toMatchObject({ code: 40000, reason: "programs_full" });
    const { body } = await desk.askPage([ann, acme], "GET /api/v1/auth/programs");
    await desk.askPage([ann, acme], `DELETE /api/v1/keys/${body.data[0].id}`);
    expect((await desk.approve([ann, acme], user_code)).status).toBe(200);
  });
});

describe("a form that is none", () => {
  test.each<[string, Record<string, string>, Record<string, string>, string]>([
    ["token", { grant_type: "password", client_id }, {}, "unsupported_grant_type"],
    ["token", { grant_type: "refresh_token" }, {}, "invalid_request"],
    ["token", { grant_type: "refresh_token", client_id }, {}, "invalid_request"],
    [
      "token",
      { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id },
      {},
      "invalid_request",
    ],
    ["code", {}, {}, "invalid_request"],
    ["code", { client_id: "x".repeat(61) }, {}, "invalid_request"],
    ["code", { client_id: "a\u202eb" }, {}, "invalid_request"],
    ["code", { client_id, device_name: "a#b" }, {}, "invalid_request"],
    ["code", { client_id }, { "content-type": "application/json" }, "invalid_request"],
    ["revoke", {}, {}, "invalid_request"],
  ])("%s %j %j is refused in OAuth's form", async (path, form, headers, error) => {
    const { desk } = await opened();
    const answer = await desk.post(path, form, { headers });
    expect([answer.status, answer.body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });
});
