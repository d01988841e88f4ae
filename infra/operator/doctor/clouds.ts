/**
 * Whether models at the clouds can be called: one check for each provider whose names are in the providers' secret. It
 * gets the credential as the gateway does, but by the role of whoever runs the command.
 */
import { isCallable, valueNames } from "#shared/books/catalog/provider.ts";
import { askCloud, type CloudDoors, type CloudOutcome } from "#shared/edges/operator/ask-clouds.ts";
import type { CloudProvider } from "#shared/edges/operator/cloud-providers.ts";
import { type Check, type CheckFinding, counted, fail, ok, warn } from "./check.ts";
import { noCredential } from "./cloud-credential.ts";

interface CloudsPlace extends CloudDoors {
  providers: readonly CloudProvider[];
  /** What is set in the providers' secret. */
  keys: ReadonlyMap<string, string>;
}

/**
 * The checks, in the order of the catalog. Bedrock is among them only where models are probed: without that,
 * `bedrockChecks` asks AWS about its models.
 */
export function cloudChecks({ providers, keys, ...doors }: CloudsPlace): Check[] {
  return providers
    .filter(({ provider }) => isCallable(provider, (name) => keys.has(name)))
    .filter(({ provider }) => doors.probe || provider.auth !== "aws_role")
    .map((called) => ({
      name: `cloud ${called.name}`,
      run: async () => judge(called, await askCloud(called, keys, doors)),
    }));
}

/** What is said of a kind of cloud. */
interface CloudWords {
  page: string;
  /** What lets the credential in. */
  granting: string;
  /** What brings a model there. */
  opening: string;
}

const words: Record<"google" | "azure" | "aws_role", CloudWords> = {
  google: {
    page: "infra/clouds/google.md",
    granting: "grant roles/aiplatform.user on the project to the service account",
    opening: "enable them in the project's Model Garden",
  },
  azure: {
    page: "infra/clouds/azure.md",
    granting: "grant the role Cognitive Services User on the resource to the app",
    opening: "deploy them under these names",
  },
  aws_role: {
    page: "infra/clouds/bedrock.md",
    granting: "let these credentials invoke the models",
    opening: "agree to them in the console of Bedrock",
  },
};

function judge(called: CloudProvider, outcome: CloudOutcome): CheckFinding {
  const { page, granting, opening } = words[called.provider.auth as keyof typeof words];
  const grant = `${granting} (${page})`;
  switch (outcome.of) {
    case "models":
      return judgeModels(outcome.answers, grant, `${opening}, or leave their channels out (${page})`);
    case "list": {
      if (outcome.problem) return fail(`its list of models: ${outcome.problem.what}`, grant);
      const deployments = counted(called.models.length + called.vectors.length, "deployment");
      return ok(`the resource takes the credential; whether its ${deployments} are there shows --probe`);
    }
    case "nothing":
      return ok("nothing of it can be asked for nothing; --probe asks each model");
    case "credential":
      return noCredential(called.provider.auth, outcome.by_role, outcome.said);
    case "silence":
      return fail(
        `it cannot be reached: ${outcome.said}`,
        `compare ${addressNames(called)} with its console`,
      );
  }
}

type ModelAnswers = Extract<CloudOutcome, { of: "models" }>["answers"];

/** What the answers of all models come to. */
function judgeModels(answers: ModelAnswers, grant: string, open: string): CheckFinding {
  const refused = answers.find(({ problem }) => problem?.of === "account");
  if (refused?.problem) return fail(refused.problem.what, grant);
  const wrong = answers.filter(({ problem }) => problem !== undefined);
  const may = answers.length - wrong.length;
  const seen = `${may} of ${counted(answers.length, "model")} may be called`;
  if (wrong.length === 0) return ok(seen);
  const said = wrong.map(({ model, problem }) => `${model} ${problem?.what}`).join(", ");
  return (may === 0 ? fail : warn)(`${seen}: ${said}`, open);
}

/** The names in the provider's address, or the address where it has none. */
function addressNames({ provider }: CloudProvider): string {
  const names = valueNames(provider);
  return names.length > 0 ? names.join(", ") : Object.values(provider.protocols).join(", ");
}
