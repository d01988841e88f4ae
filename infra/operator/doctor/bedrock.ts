/** Whether the account may call the models at Amazon Bedrock that the catalog names: one check for each region. */
import { modelOfProfile } from "#shared/books/catalog/inference-profile.ts";
import type { BedrockModel } from "../../catalog/bedrock-models.ts";
import type { Ask } from "../account/actions.ts";
import { type Check, type CheckFinding, counted, fail, isMissing, ok, warn } from "./check.ts";
import type { StagePlace } from "./stage-place.ts";

/**
 * The checks of the regions whose addresses are called, in their order; none where the catalog names no model there. What
 * another role is assumed for is not looked at: its account says what it may.
 */
export function bedrockChecks({ catalog, askIn, region }: StagePlace): Check[] {
  if ("problem" in catalog) return [];
  const own = catalog.bedrock.filter(({ service, role }) => service === "bedrock" && role === undefined);
  return [...Map.groupBy(own, (each) => each.region ?? region)].map(([place, models]) => ({
    name: `bedrock ${place}`,
    run: async () => await accessIn(askIn(place), models),
  }));
}

/** What is said of a model that cannot be called. */
type AccessProblem = "is not offered here" | "is not agreed to" | "is not authorized";

async function accessIn(ask: Ask, models: readonly BedrockModel[]): Promise<CheckFinding> {
  // An ARN tells no model that could be asked about.
  const named = models.map(({ model }) => model).filter((model) => !model.startsWith("arn:"));
  const found = await Promise.all(
    named.map(async (model) => ({ model, problem: await problemOf(ask, model) })),
  );
  const wrong = found.filter(({ problem }) => problem !== undefined);
  const open = models.length - wrong.length;
  const seen = `the account may call ${open} of ${counted(models.length, "model")}`;
  if (wrong.length === 0) return ok(seen);
  const said = wrong.map(({ model, problem }) => `${model} ${problem}`).join(", ");
  const action =
    "agree to them in the console of Bedrock, or leave their channels out (infra/clouds/bedrock.md)";
  return (open === 0 ? fail : warn)(`${seen}: ${said}`, action);
}

/** Why a model cannot be called in the region that is asked; undefined where it can. */
async function problemOf(ask: Ask, name: string): Promise<AccessProblem | undefined> {
  const behind = modelOfProfile(name);
  try {
    const { agreementAvailability, authorizationStatus, entitlementAvailability, regionAvailability } =
      await ask("bedrock:GetFoundationModelAvailability", { modelId: behind ?? name });
    // A profile reaches models of other regions.
    if (behind === undefined && regionAvailability === "NOT_AVAILABLE") return "is not offered here";
    if (authorizationStatus === "NOT_AUTHORIZED") return "is not authorized";
    const isAgreed = agreementAvailability?.status === "AVAILABLE" && entitlementAvailability === "AVAILABLE";
    return isAgreed ? undefined : "is not agreed to";
  } catch (error) {
    if (!isMissing(error)) throw error;
    return "is not offered here";
  }
}
