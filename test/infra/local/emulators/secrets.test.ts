/** Secrets on this machine: who reads them, and what of them outlives a run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startSecrets } from "#infra/local/emulators/secrets.ts";
import { keepSecret, secretValues } from "#infra/local/start/persistence.ts";
import { awsAt, cleanUp, cleanups } from "#test/support/local/fixture.ts";

afterEach(cleanUp);

test("secrets are served by their ARN", async () => {
  const server = await startSecrets(new Map([["arn:a", "value"]]));
  cleanups.push(server.stop);
  const aws = awsAt({ secretsmanager: server.url });
  expect(await aws("secretsmanager", "GetSecretValue", { SecretId: "arn:a" })).toMatchObject({
    SecretString: "value",
  });
  const unknown = aws("secretsmanager", "GetSecretValue", { SecretId: "arn:b" });
  await expect(unknown).rejects.toMatchObject({ code: "ResourceNotFoundException" });
});

test("a late value is made once, by whoever asks first, and can be replaced", async () => {
  let made = 0;
  const late = new Map([["arn:a", async () => `made ${++made}`]]);
  const server = await startSecrets(new Map([["arn:a", "{}"]]), { late });
  cleanups.push(server.stop);
  const aws = awsAt({ secretsmanager: server.url });
  const read = async () =>
    (await aws("secretsmanager", "GetSecretValue", { SecretId: "arn:a" })).SecretString;
  expect(made).toBe(0);
  expect(await read()).toBe("made 1");
  const SecretId = "arn:a";
  const { VersionId: RemoveFromVersionId } = await aws("secretsmanager", "GetSecretValue", { SecretId });
  const put = { SecretId, SecretString: "put", ClientRequestToken: "v2", VersionStages: ["NEXT"] };
  await aws("secretsmanager", "PutSecretValue", put);
  await aws("secretsmanager", "UpdateSecretVersionStage", {
    ...{ SecretId, VersionStage: "AWSCURRENT", MoveToVersionId: "v2", RemoveFromVersionId },
  });
  expect([await read(), made]).toEqual(["put", 1]);
});

test("a secret that was generated keeps a new value for the next run, and others begin anew", () => {
  const folder = mkdtempSync(join(tmpdir(), "kept-secrets-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "secrets.json");
  const secrets = [
    { arn: "arn:pepper", value: { generatedLength: 64 } },
    { arn: "arn:providers", value: "{}" },
  ];
  const first = secretValues(secrets, file);
  expect(secretValues(secrets, file)).toEqual(first);
  keepSecret(file, "arn:pepper", "rotated");
  keepSecret(file, "arn:providers", "filled in");
  expect([...secretValues(secrets, file).values()]).toEqual(["rotated", "{}"]);
});
