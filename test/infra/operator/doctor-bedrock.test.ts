/** What `operator doctor` says of the models at Amazon Bedrock that the catalog names. */
import { expect, test } from "vitest";
import type { BedrockModel } from "#infra/catalog/bedrock-models.ts";
import { partsOf } from "#infra/resources/operator-permission.ts";
import { permissions } from "#infra/resources/operator-permissions.ts";
import { type Changes, denied, examined, missing } from "#test/support/account.ts";

const asking = "bedrock:GetFoundationModelAvailability";

const place = { service: "bedrock", region: "us-east-1", role: undefined, counts: false } as const;
const bedrock: BedrockModel[] = ["global.anthropic.claude-opus-5", "amazon.nova-pro-v1:0"].map((model) => ({
  ...place,
  model,
}));

/** Of models whose names have this part AWS says something else. */
const saying = (part: string, said: object): Changes => ({
  bedrock,
  answers: {
    [asking]: ({ modelId }) => ({
      ...{ modelId, authorizationStatus: "AUTHORIZED", entitlementAvailability: "AVAILABLE" },
      ...{ agreementAvailability: { status: "AVAILABLE" }, regionAvailability: "AVAILABLE" },
      ...(modelId?.includes(part) ? said : {}),
    }),
  },
});

const refused = (answer: () => never): Changes => ({ bedrock, answers: { [asking]: answer } });

const oneOf = (said: string) => `the account may call 1 of 2 models: ${said}`;

test.each<[status: string, seen: string, changes: Changes]>([
  ["ok", "the account may call 2 of 2 models", { bedrock }],
  [
    "warn",
    oneOf("global.anthropic.claude-opus-5 is not agreed to"),
    saying("anthropic.", { agreementAvailability: { status: "NOT_AVAILABLE" } }),
  ],
  [
    "warn",
    oneOf("global.anthropic.claude-opus-5 is not agreed to"),
    saying("anthropic.", { entitlementAvailability: "NOT_AVAILABLE" }),
  ],
  [
    "warn",
    oneOf("amazon.nova-pro-v1:0 is not authorized"),
    saying("amazon.", { authorizationStatus: "NOT_AUTHORIZED" }),
  ],
  [
    "warn",
    oneOf("amazon.nova-pro-v1:0 is not offered here"),
    saying("amazon.", { regionAvailability: "NOT_AVAILABLE" }),
  ],
  // The model behind a profile may be in other regions alone.
  ["ok", "2 of 2", saying("anthropic.", { regionAvailability: "NOT_AVAILABLE" })],
  ["fail", "0 of 2", saying(".", { authorizationStatus: "NOT_AUTHORIZED" })],
  ["fail", "amazon.nova-pro-v1:0 is not offered here", refused(missing)],
  ["unknown", `may not use ${asking}`, refused(denied)],
])("%s: %s", async (status, seen, changes) => {
  const { of } = await examined(changes);
  const found = of("bedrock us-east-1");
  expect(found).toMatchObject({ status, seen: expect.stringContaining(seen) });
  if (status !== "ok") expect(found?.action).toBeTruthy();
});

test("it asks in the region whose address is called, of the model behind a profile, and of no other account's", async () => {
  const asked: string[] = [];
  const model = "eu.amazon.nova-lite-v1:0";
  const { checks, regions, used } = await examined({
    mailFrom: "codes@example.com",
    bedrock: [
      { ...place, region: undefined, model },
      { ...place, region: "eu-west-1", model },
      { ...place, region: "eu-west-1", model: "arn:aws:bedrock:eu-west-1:1:application-inference-profile/a" },
      { ...place, region: "us-west-2", role: "arn:aws:iam::1:role/theirs", model },
      { ...place, region: "us-east-2", service: "bedrock-mantle", model: "anthropic.claude-opus-5" },
    ],
    answers: {
      [asking]: ({ modelId = "" }) => {
        asked.push(modelId);
        return {
          ...{ modelId, authorizationStatus: "AUTHORIZED", entitlementAvailability: "AVAILABLE" },
          ...{ agreementAvailability: { status: "AVAILABLE" }, regionAvailability: "AVAILABLE" },
        };
      },
    },
  });
  const found = checks.filter(({ check }) => check.startsWith("bedrock"));
  expect(found.map(({ check, seen }) => [check, seen])).toEqual([
    ["bedrock eu-central-1", "the account may call 1 of 1 model"],
    ["bedrock eu-west-1", "the account may call 2 of 2 models"],
  ]);
  expect(regions).toEqual(["eu-central-1", "eu-west-1"]);
  expect(asked).toEqual(["amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0"]);
  const seldom = Object.values(permissions.doctor?.seldom ?? {}).flat();
  expect(used).toEqual(expect.arrayContaining(seldom.map((each) => partsOf(each).action)));
});

test("a catalog without such models is asked nothing about", async () => {
  const { checks, used } = await examined();
  expect(checks.filter(({ check }) => check.startsWith("bedrock"))).toEqual([]);
  expect(used).not.toContain(asking);
});
