/** Starts one `npm start` for all files of a run, with calls of a customer, and tells them where it is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

/** Where the gateway of this run is. */
interface Started {
  gateway: string;
  console: string;
  inbox: string;
  paymentPlatform: string;
  identityProvider: string;
  /** By which a test runs commands of operators. */
  readyFile: string;
  /** Where the browsers of the run hand on the session of the demo account. */
  sessionFile: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    started: Started;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const local = await startLocal();
  const { endpoints } = local;
  const folder = mkdtempSync(join(tmpdir(), "browser-"));
  await allowManyCodes(endpoints);
  project.provide("started", {
    gateway: local.url,
    console: local.console_url,
    inbox: endpoints.inbox,
    paymentPlatform: endpoints.paymentPlatform,
    identityProvider: endpoints.identityProvider,
    readyFile: local.readyFile,
    sessionFile: join(folder, "session.json"),
  });
  return async () => {
    await local.stop();
    rmSync(folder, { recursive: true });
  };
}

/** An address gets ten codes an hour, and a run needs more: the stage's own setting allows them. */
async function allowManyCodes({
  secrets,
  platformsSecretArn: SecretId,
}: LocalGateway["endpoints"]): Promise<void> {
  const ask = async (operation: string, body: object) => {
    const answer = await fetch(secrets, {
      method: "POST",
      headers: {
        "x-amz-target": `secretsmanager.${operation}`,
        "content-type": "application/x-amz-json-1.1",
      },
      body: JSON.stringify({ SecretId, ...body }),
    });
    if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { SecretString: string; VersionId: string };
  };
  const before = await ask("GetSecretValue", {});
  const platforms = JSON.parse(before.SecretString) as { sms: object };
  const limits = { ip_hour: 1_000, network_hour: 1_000, prefix_hour: 1_000 };
  const SecretString = JSON.stringify({ ...platforms, sms: { ...platforms.sms, limits } });
  const after = await ask("PutSecretValue", { SecretString, VersionStages: ["WANTED"] });
  const [MoveToVersionId, RemoveFromVersionId] = [after.VersionId, before.VersionId];
  await ask("UpdateSecretVersionStage", { VersionStage: "AWSCURRENT", MoveToVersionId, RemoveFromVersionId });
}
