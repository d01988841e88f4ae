/** The operator's command that says whether a gateway is as it should be, and what to do where it is not. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CloudDoors } from "#shared/edges/operator/ask-clouds.ts";
import { packageVersion } from "../bundles/package-version.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { type CommandCall, type CommandGroup, command, onOff } from "./command.ts";
import type { AwsCredentials } from "./connection.ts";
import { catalogHere } from "./doctor/catalog-here.ts";
import { type CheckResult, runChecks } from "./doctor/check.ts";
import { type DatedAnswer, type Tools, toolsCheck } from "./doctor/machine.ts";
import { reportOf } from "./doctor/report.ts";

const doctorFlags = {
  probe: onOff("asks each model at a cloud for one token or one vector, which the cloud charges"),
};

type DoctorCall = CommandCall<typeof doctorFlags>;

const doctor = command({
  words: "doctor",
  what: "looks at every part of a gateway, and says what to do where something is not as it should be",
  more: "It changes nothing and shows no secret. A check is ok, warn, fail, or unknown if it could not be made. It exits with 1 when one fails. Of Google's and Azure's clouds it asks what costs nothing, by the credential in the secret. Where that credential is had by an AWS role, only the gateway's own role may be taken.",
  flags: doctorFlags,
  examples: {
    "": "before a deployment, after it, and whenever something is odd",
    "--probe": "once a cloud is set up",
  },
  async run(call) {
    const tools = await runChecks([toolsCheck(toolsHere())], call.progress);
    const checks = [...tools, ...(call.where.local ? await examineHere(call) : await examineStageOf(call))];
    const isWell = checks.every(({ status }) => status !== "fail");
    return { value: { ok: isWell, checks }, shown: (paint) => reportOf(checks, paint), ok: isWell };
  },
});

function toolsHere(): Tools {
  const { resolve } = createRequire(import.meta.url);
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const asked = read(resolve("../../package.json")).devDependencies as Record<string, string>;
  let installed: string | undefined;
  try {
    installed = String(read(resolve("aws-cdk/package.json")).version);
  } catch {
    // It is not installed, which the check says.
  }
  return { node: process.versions.node, cdk: { installed, asked: asked["aws-cdk"] ?? "" } };
}

async function examineHere({ where, catalogFile, progress, flags }: DoctorCall): Promise<CheckResult[]> {
  const { connectLocally, localReadyFile, regionHere } = await import("./connection.ts");
  const { localChecks, noGateway, readReady } = await import("./doctor/local.ts");
  const file = where.readyFile ?? localReadyFile;
  const found = readReady(file);
  if (!found) return await runChecks([noGateway(file)], progress);
  const connection = connectLocally(file);
  const catalog = catalogHere(catalogFile ?? connection.catalogFile ?? defaultCatalog);
  const { region, credentials } = await regionHere().catch(() => ({
    region: "us-east-1",
    credentials: undefined,
  }));
  const doors = await doorsFor(region, credentials, flags.probe);
  const place = { ...found, connection, catalog, fetch, now: Date.now, version: packageVersion(), doors };
  return await runChecks(await localChecks(place), progress);
}

async function examineStageOf({ where, catalogFile, progress, flags }: DoctorCall): Promise<CheckResult[]> {
  const { regionHere } = await import("./connection.ts");
  const { openAccount } = await import("./account/clients.ts");
  const { examineStage } = await import("./doctor/stage.ts");
  const { region, credentials } = await regionHere();
  const dated = Promise.withResolvers<DatedAnswer | undefined>();
  const onDate = (date: string, at: number) => dated.resolve({ said: Date.parse(date), at });
  return await examineStage(where.stage, {
    ask: openAccount({ region, credentials }, onDate),
    askIn: (place) => openAccount({ region: place, credentials }),
    region,
    dated: dated.promise,
    noMoreAnswers: () => dated.resolve(undefined),
    fetch,
    now: Date.now,
    version: packageVersion(),
    doors: await doorsFor(region, credentials, flags.probe),
    ...(await settingsOf(where.stage, catalogFile)),
    progress,
  });
}

/** How clouds are asked, by the role of the shell. */
async function doorsFor(
  region: string,
  credentials: AwsCredentials | undefined,
  probe: boolean,
): Promise<CloudDoors> {
  const { openDoors } = await import("#shared/edges/operator/ask-clouds.ts");
  const role = async () => {
    if (!credentials) throw new Error("there are no AWS credentials");
    return await credentials();
  };
  return openDoors({ region, credentials: role }, probe);
}

/**
 * The catalog that the next deployment of a stage would have, and what payment platforms call: by the stage's file. One
 * that is wrong is told by the check of the catalog. `given` stands in the place of the file's catalog.
 */
async function settingsOf(stage: string, given: string | undefined) {
  const { readStageFile } = await import("../stage/stage-file.ts");
  try {
    const { catalog, console: own } = readStageFile(stage);
    return {
      catalog: catalogHere(given ?? catalog ?? defaultCatalog),
      notifyBase: own?.notifyBase,
      mailFrom: own?.mailFrom,
    };
  } catch (error) {
    const [problem = ""] = error instanceof Error ? error.message.split("\n") : [];
    return { catalog: given === undefined ? { file: stage, problem } : catalogHere(given) };
  }
}

export const doctors: CommandGroup = { title: "Health", commands: [doctor] };
