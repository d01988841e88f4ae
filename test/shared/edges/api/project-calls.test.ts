/** What archiving a project does to the calls of its keys, and whose calls its members see. */
import { expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { openMembers } from "#test/support/members.ts";
import { chatBody } from "#test/support/scenario.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { useStores } from "#test/support/stores.ts";
import { newWallet } from "#test/support/wallets.ts";

const stores = useStores();
const { db } = stores;

test("an archived project's keys are refused, in half a minute at the latest, until it is back", async () => {
  const desk = openMembers(db);
  const acme = await newWallet(db, "100", 1);
  const ann = await desk.newMember(acme, "owner", "Ann");
  const gateway = openSessionGateway(desk, stores, { real: true });
  const make = async (project_id: string) =>
    (await desk.ask([ann, acme], "POST /api/v1/keys", { billing_mode: "payg", project_id })).body
      .key as string;
  const [inside, other] = [await make("search"), await make("support")];
  const answerOf = (reply: { status: number; json(): unknown }) => {
    const { error } = reply.json() as { error?: { code: string; message: string } };
    return reply.status >= 500 ? "admitted" : error ? `${error.code} ${error.message}` : "done";
  };
  const call = async (key: string) =>
    answerOf(
      await gateway.ask(
        { method: "POST", path: "/v1/chat/completions" },
        { "x-api-key": key },
        { ...chatBody, max_tokens: 1 },
      ),
    );
  const look = async (key: string) =>
    answerOf(await gateway.ask({ method: "GET", path: "/api/v1/calls" }, { "x-api-key": key }, ""));
  const set = async (status: string) =>
    await desk.ask([ann, acme], "PATCH /api/v1/projects/search", { status });
  const refused =
    "40101 The project `search` of this API key is archived. Who manages the organization's keys can bring it back.";

  for (const key of [inside, other]) expect(await call(key)).toBe("admitted");
  await set("archived");
  expect(await look(inside)).toBe(refused);
  desk.clock.now += limits.keyCacheSeconds * 1000;
  expect(await call(inside)).toBe(refused);
  for (const ask of [call, look]) expect(await ask(other)).not.toContain("40101");
  await set("active");
  expect(await look(inside)).toBe("done");
  desk.clock.now += limits.keyCacheSeconds * 1000;
  expect(await call(inside)).toBe("admitted");
});
