/**
 * What a process may invoke at Amazon Bedrock: the models that its catalog names, and nothing where it names none
 * (infra/clouds/bedrock.md "What the gateway may invoke").
 */
import { Aws, Stack, Validations } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { modelOfProfile } from "#shared/books/catalog/inference-profile.ts";
import {
  type BedrockModel,
  bedrockModels,
  type CalledCatalog,
  rolesAssumed,
  rolesTagged,
} from "../catalog/bedrock-models.ts";
import type { Grantee } from "./grants.ts";
import { placeIn } from "./nag-place.ts";

const invoking = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];

/** Grants exactly what the models of the catalog need: all of them, or those that `wanted` chooses by their ids. */
export function useBedrock(
  grantee: Grantee,
  catalog: CalledCatalog,
  wanted: (id: string) => boolean = () => true,
): void {
  const named = bedrockModels(catalog, wanted);
  const own = named.filter(({ role }) => role === undefined);
  const assumed = rolesAssumed(catalog).filter((role) => named.some((each) => each.role === role));
  const statements = [
    statement(invoking, own.flatMap(directly)),
    statement(invoking, own.flatMap(profileOf)),
    behind(own.flatMap(behindProfile), [anyProfile]),
    behind([`arn:${Aws.PARTITION}:bedrock:*::foundation-model/*`], own.flatMap(arnOfProfile)),
    statement(["bedrock:CountTokens"], own.flatMap(counted)),
    statement(["bedrock-mantle:CreateInference"], own.flatMap(mantleProject)),
    statement(["sts:AssumeRole"], assumed),
    tagging(assumed.filter((role) => rolesTagged(catalog).includes(role))),
  ];
  for (const each of statements) if (each) grantee.addToRolePolicy(each);
  acknowledgeOpenParts(
    grantee,
    statements.flatMap((each) => each?.resources ?? []),
  );
}

/** Says why some of the resources have a part that is open. */
function acknowledgeOpenParts(grantee: Grantee, resources: readonly string[]): void {
  const { partition, region, account } = placeIn(Stack.of(grantee));
  const told = [
    [Aws.PARTITION, partition],
    [Aws.REGION, region],
    [Aws.ACCOUNT_ID, account],
  ] as const;
  for (const resource of resources.filter((each) => each.includes("*"))) {
    const named = told.reduce((text, [token, name]) => text.replace(token, name), resource);
    Validations.of(grantee.role ?? grantee).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${named}]`,
      reason: resource.includes(":project/")
        ? "AWS knows no narrower resource of an inference than the projects of the account."
        : "A condition binds it to inference profiles that are granted by name, and AWS adds to their regions.",
    });
  }
}

/** A statement on these resources, each once; undefined without any. */
function statement(actions: string[], resources: readonly string[]): PolicyStatement | undefined {
  return resources.length === 0
    ? undefined
    : new PolicyStatement({ actions, resources: [...new Set(resources)] });
}

/** Sessions of these roles may be tagged with the organization, and with nothing else. */
function tagging(roles: readonly string[]): PolicyStatement | undefined {
  const granted = statement(["sts:TagSession"], roles);
  granted?.addCondition("ForAllValues:StringEquals", { "aws:TagKeys": ["organization"] });
  granted?.addCondition("Null", { "aws:TagKeys": "false" });
  return granted;
}

/**
 * Models that may be invoked through these profiles alone. The region is open: AWS decides which regions a profile
 * reaches, and adds to them. The ARN of what a global profile reaches has none.
 */
function behind(models: readonly string[], profiles: readonly string[]): PolicyStatement | undefined {
  const granted = profiles.length === 0 ? undefined : statement(invoking, models);
  granted?.addCondition("ArnLike", { "bedrock:InferenceProfileArn": [...new Set(profiles)] });
  return granted;
}

/** The profiles of AWS in this account. Which of them may be invoked at all is granted by name. */
const anyProfile = `arn:${Aws.PARTITION}:bedrock:*:${Aws.ACCOUNT_ID}:inference-profile/*`;

const isArn = (model: string) => model.startsWith("arn:");
const isProfileArn = (model: string) => /^arn:[^/]*:(?:application-)?inference-profile\//.test(model);

/** A model that is invoked in one region, or what else an ARN names. */
function directly({ service, region, model }: BedrockModel): string[] {
  if (service !== "bedrock" || modelOfProfile(model) !== undefined) return [];
  return [
    isArn(model) ? model : `arn:${Aws.PARTITION}:bedrock:${region ?? Aws.REGION}::foundation-model/${model}`,
  ];
}

/** An inference profile of AWS, in the region whose address is called. */
function profileOf({ service, region, model }: BedrockModel): string[] {
  if (service !== "bedrock" || modelOfProfile(model) === undefined) return [];
  return [
    `arn:${Aws.PARTITION}:bedrock:${region ?? Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${model}`,
  ];
}

/** The model whose tokens are counted in the region that is called, also for a profile. An ARN names none. */
function counted({ region, model, counts }: BedrockModel): string[] {
  if (!counts || isArn(model)) return [];
  const name = modelOfProfile(model) ?? model;
  return [`arn:${Aws.PARTITION}:bedrock:${region ?? Aws.REGION}::foundation-model/${name}`];
}

function behindProfile({ service, model }: BedrockModel): string[] {
  const behindIt = service === "bedrock" ? modelOfProfile(model) : undefined;
  return behindIt === undefined ? [] : [`arn:${Aws.PARTITION}:bedrock:*::foundation-model/${behindIt}`];
}

/** A profile that the catalog names by its ARN, which does not tell the model behind it. */
function arnOfProfile({ service, model }: BedrockModel): string[] {
  return service === "bedrock" && isProfileArn(model) ? [model] : [];
}

/** The projects of the account in a region. AWS knows no narrower resource for an inference there. */
function mantleProject({ service, region }: BedrockModel): string[] {
  if (service !== "bedrock-mantle") return [];
  return [`arn:${Aws.PARTITION}:bedrock-mantle:${region ?? Aws.REGION}:${Aws.ACCOUNT_ID}:project/*`];
}
