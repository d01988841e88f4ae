/** Signatures of webhooks, as the reference implementation of Standard Webhooks verifies them. */
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { peppersOf, readPeppers } from "#shared/base/platform/pepper.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { inForce, newSecret, resealed, signedHeaders } from "#shared/people/news/signature.ts";

const first = readPeppers("the first secret of the accounts");
const known = keysOf(first);
const readKeys = async () => known;
const id = "whk_1";
const body = JSON.stringify({ type: "key_created", data: { name: "日本" } });
const minute = 60_000;

test("a receiver with the reference implementation accepts a message, and none that was changed", async () => {
  const { secret, sealed } = newSecret(id, known);
  const headers = await signedHeaders(
    { id, secrets: [sealed] },
    { message: "aud_1", body, at: Date.now() },
    readKeys,
  );
  const verifier = new Verifier(secret);
  expect(verifier.verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => verifier.verify(body.replace("created", "revoked"), headers)).toThrow();
  expect(() => verifier.verify(body, { ...headers, "webhook-id": "aud_2" })).toThrow();
  expect(() => new Verifier(newSecret(id, known).secret).verify(body, headers)).toThrow();
});

test("a message that somebody has kept is refused when it is old, and its time is signed", async () => {
  const { secret, sealed } = newSecret(id, known);
  const sign = (at: number) =>
    signedHeaders({ id, secrets: [sealed] }, { message: "aud_1", body, at }, readKeys);
  const old = await sign(Date.now() - 6 * minute);
  expect(() => new Verifier(secret).verify(body, old)).toThrow("too old");
  const now = await sign(Date.now());
  expect(() =>
    new Verifier(secret).verify(body, { ...old, "webhook-timestamp": now["webhook-timestamp"] ?? "" }),
  ).toThrow("No matching");
});

test("two secrets are in force after a rotation, until the old one ends", async () => {
  const [old, fresh] = [newSecret(id, known), newSecret(id, known)];
  const now = Date.now();
  const secrets = [fresh.sealed, { ...old.sealed, until: now + minute }];
  const headers = await signedHeaders({ id, secrets }, { message: "aud_1", body, at: now }, readKeys);
  for (const { secret } of [old, fresh]) expect(new Verifier(secret).verify(body, headers)).toBeTruthy();
  expect(inForce({ secrets }, now + minute)).toEqual([fresh.sealed]);
});

test("a secret is opened by its own webhook alone, and moves to a new version of the accounts' secret", async () => {
  const { secret, sealed } = newSecret(id, known);
  const message = { message: "aud_1", body, at: Date.now() };
  await expect(signedHeaders({ id: "whk_2", secrets: [sealed] }, message, readKeys)).rejects.toThrow();
  const rotated = peppersOf({ version: 2, value: "the second one" }, first.current);
  expect(await resealed({ id, secrets: [sealed] }, known)).toBeUndefined();
  const moved = (await resealed({ id, secrets: [sealed] }, keysOf(rotated))) ?? [];
  expect(moved.map(({ version }) => version)).toEqual([2]);
  const after = keysOf(peppersOf(rotated.current));
  const headers = await signedHeaders({ id, secrets: moved }, message, async () => after);
  expect(new Verifier(secret).verify(body, headers)).toBeTruthy();
  await expect(signedHeaders({ id, secrets: [sealed] }, message, async () => after)).rejects.toThrow(
    "is gone",
  );
});
