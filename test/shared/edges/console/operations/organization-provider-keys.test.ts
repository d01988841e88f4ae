/** An organization's own provider keys. Owners give them, the provider is asked about them, nobody sees them again. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startKms } from "#infra/local/emulators/kms.ts";
import { createAws } from "#shared/base/platform/aws.ts";
import { unseal } from "#shared/base/platform/envelope.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { ownKeyBounds } from "#shared/books/accounts/bounds.ts";
import { ownKeyContext } from "#shared/books/accounts/own-key.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { testCatalog } from "#test/support/memory.ts";
import { useStores } from "#test/support/stores.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const { db } = useStores();
const kmsKey = "arn:aws:kms:us-east-1:000000000000:key/own";
const key = "sk-proj-of-the-customer-0123456789";
const parts = new AsyncDisposableStack();
let provider: Upstream;
let aws: ReturnType<typeof createAws>;

beforeAll(async () => {
  provider = await startUpstream();
  parts.defer(provider.stop);
  const { url, stop } = await startKms(randomBytes(32));
  parts.defer(stop);
  const credentials = () => ({ accessKeyId: "test", secretAccessKey: "test" });
  aws = createAws({
    region: "us-east-1",
    credentials,
    endpoints: { kms: url },
    attemptsMax: 1,
    timeoutMs: 5_000,
  });
});
afterAll(() => parts.disposeAsync());
beforeEach(() => {
  provider.reset();
  provider.json({ object: "list", data: [] });
});

function catalogOf(change: object = { byok_fee: { share: "0.05" } }) {
  const base = testCatalog(provider.url) as { providers: object };
  const cloud = { protocols: { gemini: "https://gemini.example" }, auth: "google", secret: "GOOGLE_KEY" };
  return createCatalog(parseCatalog({ ...base, providers: { ...base.providers, cloud }, ...change }));
}

async function opened(changes: Parameters<typeof openMembers>[1] = {}) {
  const desk = openMembers(db, { send, catalog: catalogOf(), sealing: { aws, kmsKey }, ...changes });
  const acme = await desk.newOrganization();
  const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "member")];
  const ask = (route: string, body?: object, by = ann) => {
    // Lines of the audit log are in the order of their instants.
    desk.clock.now += 1;
    return desk.ask([by, acme], route, body);
  };
  const put = (body: object, name = "test") => ask(`PUT /api/v1/provider-keys/${name}`, body);
  const record = async () => await createAccounts(db.aws, db.tables).organization(acme.id);
  return { desk, acme, ann, bob, ask, put, record };
}

test("a key is asked about, sealed for its organization, shown by its last four, and removed", async () => {
  const { desk, acme, ask, put, record } = await opened();
  const given = await put({ key, use: "first" });
  expect([given.status, given.body]).toMatchObject([
    200,
    { provider: "test", use: "first", last_four: "6789" },
  ]);
  expect(provider.requests).toMatchObject([
    { method: "GET", path: "/v1/models", headers: { authorization: `Bearer ${key}` } },
  ]);
  const [kept] = (await record())?.provider_keys ?? [];
  expect(await unseal(aws, kept?.sealed ?? "", ownKeyContext(acme.id, "test"))).toBe(key);
  const list = await ask("GET /api/v1/provider-keys");
  expect(list.body.fee).toEqual({ share: "0.05", call: null });
  // A cloud whose key is a credential file takes none.
  expect(list.body.data.map(({ provider: name }: { provider: string }) => name)).toEqual(["test"]);
  expect((await put({ use: "after" })).body).toMatchObject({ use: "after", last_four: "6789" });
  expect(provider.requests).toHaveLength(1);
  expect((await record())?.provider_keys?.[0]?.sealed).toBe(kept?.sealed);
  const gone = await ask("DELETE /api/v1/provider-keys/test");
  expect([gone.status, gone.body.use, (await record())?.provider_keys]).toEqual([200, null, []]);
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
  expect(entries.map(({ kind, subject, before, after }) => [kind, subject, before, after])).toEqual([
    ["provider_key_removed", "test", { use: "after", last_four: "6789" }, { use: null, last_four: null }],
    ["provider_key_set", "test", { use: "first", last_four: "6789" }, { use: "after", last_four: "6789" }],
    ["provider_key_set", "test", { use: null, last_four: null }, { use: "first", last_four: "6789" }],
  ]);
  const told = JSON.stringify([given.body, list.body, gone.body, entries, desk.lines]);
  for (const secret of [key, kept?.sealed]) expect(told).not.toContain(secret);
});

test.each([
  [401, { error: { message: `Incorrect API key provided: ${key}` } }],
  [400, { error: { code: 400, status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] } }],
])(
  "a key that its provider refuses with %s is not kept, and what it says is not told",
  async (status, said) => {
    const { put, record, desk } = await opened();
    provider.on((_, response) => response.writeHead(status).end(JSON.stringify(said)));
    const refused = await put({ key });
    expect([codeOf(refused), refused.body.error.reason]).toEqual([40000, "key_refused"]);
    expect((await record())?.provider_keys).toBeUndefined();
    expect(JSON.stringify([refused.body, desk.lines])).not.toContain(key.slice(8, 20));
  },
);

test("a key that may not list models, or is limited, may well call them", async () => {
  const { put } = await opened();
  for (const status of [403, 404, 429]) {
    provider.on((_, response) => response.writeHead(status).end("{}"));
    expect((await put({ key })).status).toBe(200);
  }
});

test("where nobody can be asked, nothing is kept", async () => {
  const { put, record } = await opened();
  provider.on((_, response) => response.writeHead(503).end());
  expect(codeOf(await put({ key }))).toBe(50001);
  provider.on((request) => request.destroy());
  expect(codeOf(await put({ key }))).toBe(50001);
  expect((await record())?.provider_keys).toBeUndefined();
});

test.each([
  [{ key: "short" }, 40000],
  [{ key: `${key} with a space` }, 40000],
  [{ key: "x".repeat(ownKeyBounds.charsMax + 1) }, 40000],
  [{ key: 12 }, 40000],
  [{ key, use: "never" }, 40000],
  [{ key, base_url: "https://evil.example" }, 40000],
  [{ use: "first" }, 40000],
  [{}, 40000],
])("%j is refused, asks nobody and quotes nothing", async (body, code) => {
  const { put } = await opened();
  const refused = await put(body);
  expect([codeOf(refused), provider.requests]).toEqual([code, []]);
  expect(JSON.stringify(refused.body)).not.toContain(key);
});

test("an unknown provider and one that takes no key are not found, and neither is a key that is not there", async () => {
  const { ask, put } = await opened();
  for (const name of ["nobody", "cloud", "__proto__"]) expect(codeOf(await put({ key }, name))).toBe(40400);
  expect(codeOf(await ask("DELETE /api/v1/provider-keys/test"))).toBe(40400);
});

test("a member without the right gives, sees and removes none", async () => {
  const { ask, bob } = await opened();
  for (const route of ["GET /api/v1/provider-keys", "DELETE /api/v1/provider-keys/test"])
    expect(codeOf(await ask(route, undefined, bob))).toBe(40300);
  expect(codeOf(await ask("PUT /api/v1/provider-keys/test", { key }, bob))).toBe(40300);
  expect(provider.requests).toEqual([]);
});

test("without a fee in the catalog, or without a key of KMS, none is taken", async () => {
  for (const changes of [{ catalog: catalogOf({}) }, { sealing: undefined }]) {
    const { put } = await opened(changes);
    expect(codeOf(await put({ key }))).toBe(40910);
  }
  expect(provider.requests).toEqual([]);
});

test("two who give keys at the same time lose neither", async () => {
  const { ask, put, record } = await opened({
    catalog: catalogOf({
      byok_fee: { share: "0" },
      providers: Object.fromEntries(
        ["test", "two", "three"].map((name) => [
          name,
          { protocols: { openai: `${provider.url}/v1` }, secret: `${name.toUpperCase()}_KEY` },
        ]),
      ),
      models: [],
    }),
  });
  const answers = await Promise.all(["test", "two", "three"].map((name) => put({ key }, name)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await record())?.provider_keys?.map(({ provider: name }) => name)).toEqual([
    "test",
    "three",
    "two",
  ]);
  expect((await ask("GET /api/v1/provider-keys")).body.data).toHaveLength(3);
});
