/** The checks of a deployed stage, in the order in which they are shown. */

import type { Aws } from "#shared/base/platform/aws.ts";
import { readKeys } from "#shared/base/platform/secrets.ts";
import type { CloudDoors } from "#shared/edges/operator/ask-clouds.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import { stackName } from "../../stage/outputs.ts";
import type { Ask } from "../account/actions.ts";
import type { Progress } from "../command.ts";
import { alarmChecks } from "./alarms.ts";
import { bedrockChecks } from "./bedrock.ts";
import type { CatalogHere } from "./catalog-here.ts";
import { channelsCheck } from "./channels.ts";
import { type Check, type CheckResult, fail, naming, runChecks } from "./check.ts";
import { addressCheck } from "./client-addresses.ts";
import { cloudChecks } from "./clouds.ts";
import { consoleChecks } from "./console.ts";
import { agentsCheck, type Fetch, gatewayChecks, pricesCheck } from "./gateway.ts";
import { jobChecks } from "./jobs.ts";
import { clockCheck, type DatedAnswer, identityCheck } from "./machine.ts";
import { mailChecks } from "./mails.ts";
import { queueChecks } from "./queues.ts";
import { secretChecks } from "./secrets.ts";
import { noStack, stackChecks } from "./stack.ts";
import { findStack, listResources, outputOf, type StagePlace } from "./stage-place.ts";
import { tableChecks } from "./tables.ts";

/** What is given to look at a stage. */
interface StageDeps {
  ask: Ask;
  /** Asks the account in another region. */
  askIn(region: string): Ask;
  region: string;
  /** When AWS answered first; undefined once it is clear that it will not. */
  dated: Promise<DatedAnswer | undefined>;
  /** Nothing more is asked of AWS: `dated` need not wait for an answer any longer. */
  noMoreAnswers(): void;
  fetch: Fetch;
  now: () => number;
  version: string;
  catalog: CatalogHere;
  /** How clouds are asked. */
  doors: CloudDoors;
  /** What payment platforms call, if the stage's file names it. */
  notifyBase?: string | undefined;
  /** The address that mails come from, if the stage's file names it. */
  mailFrom?: string | undefined;
  progress: Progress;
}

/** Looks at a stage. Without a stack it looks at what is left: who asks, and the clock. */
export async function examineStage(stage: string, deps: StageDeps): Promise<CheckResult[]> {
  const ask = naming(deps.ask);
  const first = runChecks([identityCheck(ask, deps.region)], deps.progress);
  const rest = runChecks(await find(stage, ask, deps), deps.progress);
  const identity = await first;
  deps.noMoreAnswers();
  const clock = runChecks([clockCheck(deps.dated)], deps.progress);
  return [...identity, ...(await clock), ...(await rest)];
}

/** The checks of the stack, or the one check that says why there are none. */
async function find(stage: string, ask: Ask, deps: StageDeps): Promise<Check[]> {
  try {
    const stack = await findStack(ask, stage);
    if (!stack) return [noStack(stage, deps.region)];
    const { fetch, now, catalog, notifyBase, mailFrom, region } = deps;
    const askIn = (place: string) => naming(deps.askIn(place));
    const resources = await listResources(ask, stage);
    const place = { stage, ask, askIn, region, fetch, now, catalog, notifyBase, mailFrom, stack, resources };
    return [...checksOf(place, deps), ...(await cloudsOf(place, deps.doors))];
  } catch (error) {
    // The runner says why: credentials, a permission, or the network.
    return [{ name: "stack", run: () => Promise.reject(error) }];
  }
}

/** The checks of the clouds whose names are set. Where the secret cannot be read, its own check says why. */
async function cloudsOf(place: StagePlace, doors: CloudDoors): Promise<Check[]> {
  const { ask, catalog } = place;
  const SecretId = outputOf(place, "providersSecret");
  if ("problem" in catalog || !SecretId) return [];
  const answer = await ask("secretsmanager:GetSecretValue", { SecretId }).catch(() => undefined);
  const keys = readKeys(answer?.SecretString ?? "");
  return keys ? cloudChecks({ providers: catalog.clouds, keys, ...doors }) : [];
}

function checksOf(place: StagePlace, { version }: StageDeps): Check[] {
  const url = outputOf(place, "gatewayUrl");
  const web = outputOf(place, "webGatewayUrl");
  const service = outputOf(place, "serviceUrl");
  const fronts = { ...place, version };
  const none: Check = {
    name: "gateway",
    run: () => fail(`${stackName(place.stage)} has no address of a gateway`, "deploy the stage again"),
  };
  return [
    ...stackChecks(place),
    ...(url ? gatewayChecks("gateway", url, fronts) : []),
    ...(web ? gatewayChecks("web gateway", web, fronts) : []),
    ...(service ? gatewayChecks("service", service, fronts) : []),
    ...(url || web || service ? [addressCheck(place)] : [none]),
    agentsCheck(place),
    pricesCheck(place),
    ...consoleChecks(place),
    ...mailChecks(place),
    ...secretChecks(place),
    channelsCheck(recordsOf(place), place.now),
    ...bedrockChecks(place),
    ...tableChecks(place),
    ...queueChecks(place),
    ...jobChecks(place),
    ...alarmChecks(place),
  ];
}

/** Reads what operators did to channels, by what the account is asked. */
function recordsOf(place: StagePlace) {
  const aws = (async (_, action, input) =>
    await place.ask(`dynamodb:${action}` as "dynamodb:Query", input as never)) as Aws;
  const [accounts, board] = [outputOf(place, "accountsTable"), outputOf(place, "boardTable")];
  return async () => {
    if (!accounts || !board) throw new Error("the stack names no table of accounts or no board");
    return await createChannelRecords(aws, { accounts, board }).all();
  };
}
