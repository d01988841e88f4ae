/** What `operator doctor --probe` says of models at the clouds that make vectors. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CloudProvider } from "#shared/edges/operator/cloud-providers.ts";
import { examined } from "#test/support/account.ts";
import { testClouds } from "#test/support/clouds.ts";
import { startTokenServices, type TokenServices } from "#test/support/token-services.ts";

let played: TokenServices;
beforeAll(async () => {
  played = await startTokenServices();
});
afterAll(async () => await played.stop());

/** What doctor finds of a provider with these keys in the secret. */
async function found(called: CloudProvider, keys: Record<string, string>, probe: boolean) {
  const { checks } = await examined({
    clouds: [called],
    doors: { clouds: testClouds(played.deps), probe },
    answers: { "secretsmanager:GetSecretValue": () => ({ SecretString: JSON.stringify(keys) }) },
  });
  return checks.find(({ check }) => check.startsWith("cloud "));
}

test("Vertex AI is asked for the vector of a word by a probe alone", async () => {
  const base = "/v1/projects/our-project/locations/global";
  const called: CloudProvider = {
    name: "vertex",
    provider: {
      ...{ protocols: { gemini: `${played.url}${base}` }, auth: "google", host: "vertex", secret: "GOOGLE" },
    },
    models: [],
    vectors: ["gemini-embedding-001"],
  };
  const file = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/pool",
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    token_url: `${played.url}/exchange`,
  };
  const keys = { GOOGLE: JSON.stringify(file) };
  const token = { access_token: "a-token", expires_in: 3600 };
  played.answers({ "/exchange": token });
  expect(await found(called, keys, false)).toMatchObject({
    status: "ok",
    seen: "nothing of it can be asked for nothing; --probe asks each model",
  });
  expect(await found(called, keys, true)).toMatchObject({
    status: "fail",
    seen: "0 of 1 model may be called: gemini-embedding-001 is not there",
  });
  const predicted = `${base}/publishers/google/models/gemini-embedding-001:predict`;
  const embeddings = { values: [0.5], statistics: { token_count: 1 } };
  played.answers({ "/exchange": token, [predicted]: { predictions: [{ embeddings }] } });
  expect(await found(called, keys, true)).toMatchObject({ status: "ok", seen: "1 of 1 model may be called" });
  expect(played.asked(predicted).at(-1)).toMatchObject({ instances: [{ content: "Hi" }] });
});

test("Bedrock is asked in the form of the model's maker", async () => {
  const called: CloudProvider = {
    name: "bedrock-invoke",
    provider: { protocols: { openai: played.url }, auth: "aws_role", host: "bedrock" },
    models: [],
    vectors: ["amazon.titan-embed-text-v2:0"],
  };
  const invoked = "/model/amazon.titan-embed-text-v2%3A0/invoke";
  played.answers({ [invoked]: { embedding: [0.5], inputTextTokenCount: 1 } });
  expect(await found(called, {}, true)).toMatchObject({ status: "ok", seen: "1 of 1 model may be called" });
  expect(played.asked(invoked)).toEqual([expect.objectContaining({ inputText: "Hi" })]);
});
