/** Secrets that are there already, in the template. stack.test.ts has those that the stack makes. */
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { createSecrets } from "#infra/resources/secrets.ts";
import { type GivenSecrets, stageNamed } from "#infra/stage/stage.ts";

function synthesize(given?: GivenSecrets) {
  const env = { account: "123456789012", region: "eu-central-1" };
  // CloudFormation's own checks take seconds, and say nothing of this.
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), "model-gateway-prod", { env });
  const secrets = createSecrets(stack, { ...stageNamed("prod"), ...(given && { secrets: given }) });
  return { stack, secrets, template: Template.fromStack(stack) };
}

/**
 * CloudFormation generates another value for a secret whose `GenerateSecretString` has changed in any way, and makes
 * another secret for another logical id (fronts.test.ts pins those of the stack). With another pepper every stored hash
 * is worthless, so every key of every deployed stage would be refused. With another secret of accounts nobody could
 * sign in. A new text of one of the others would take the place of what operators have put. Whoever has to change what
 * stands here reads infra/resources/secrets.md "What must not change" first.
 */
test("a stage keeps the values of its secrets: nothing that would make other ones has changed", () => {
  const isKept = { DeletionPolicy: "RetainExceptOnCreate", UpdateReplacePolicy: "Retain" };
  const found = synthesize().template.findResources("AWS::SecretsManager::Secret");
  expect(found).toEqual({
    AccountsBE8A900E: {
      Type: "AWS::SecretsManager::Secret",
      ...isKept,
      Properties: {
        Description:
          "What phones are hashed and encrypted with, and sessions signed. Changing it loses every account.",
        GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 64 },
      },
    },
    Pepper2B9638F2: {
      Type: "AWS::SecretsManager::Secret",
      ...isKept,
      Properties: {
        Description: "Key of the HMAC under which API keys are stored. Changing it invalidates every key.",
        GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 64 },
      },
    },
    Platforms5F17FEBE: {
      Type: "AWS::SecretsManager::Secret",
      ...isKept,
      Properties: {
        Description:
          "JSON object of the payment platforms' and the message sender's credentials. Operators fill it in.",
        SecretString: "{}",
      },
    },
    Providers00248E55: {
      Type: "AWS::SecretsManager::Secret",
      ...isKept,
      Properties: {
        Description:
          "JSON object of the catalog's secret names and the providers' API keys. Operators fill it in.",
        SecretString: "{}",
      },
    },
  });
});

describe("secrets that are there already", () => {
  const arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:restored/pepper-a1B2c3";

  test("take the place of those that the stack makes, by a whole ARN or by a name", () => {
    const { stack, secrets, template } = synthesize({
      ...{ pepper: arn, providers: "team/providers" },
      ...{ accounts: "team/accounts", platforms: "team/platforms" },
    });
    template.resourceCountIs("AWS::SecretsManager::Secret", 0);
    expect([secrets.pepper.id, secrets.pepper.resource]).toEqual([arn, arn]);
    expect(secrets.providers.id).toBe("team/providers");
    expect([secrets.accounts.id, secrets.platforms.id]).toEqual(["team/accounts", "team/platforms"]);
    expect(JSON.stringify(stack.resolve(secrets.providers.resource))).toContain(
      "secretsmanager:eu-central-1:123456789012:secret:team/providers-??????",
    );
  });

  test("may be one of them", () => {
    const { template } = synthesize({ pepper: "the-pepper" });
    template.resourceCountIs("AWS::SecretsManager::Secret", 3);
    template.hasResource("AWS::SecretsManager::Secret", { Properties: { SecretString: "{}" } });
  });

  test.each([
    "",
    "a name",
    "arn:aws:secretsmanager:eu-central-1:123456789012:secret:pepper",
    "arn:aws:s3:::bucket",
  ])("are refused where a name is none, or an ARN is not whole: %j", (given) => {
    expect(() => synthesize({ pepper: given })).toThrow(
      `secret "${given}": expected its name, or its whole ARN with the six characters at its end`,
    );
  });
});
