/** Providers of the catalog: what they need of the providers' secret. */
import { expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { isCallable } from "#shared/books/catalog/provider.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample, set } from "#test/support/catalog.ts";

test("a provider of a role has one channel without a key, which needs the values that its addresses name", () => {
  const role = {
    protocols: { openai: "https://{ACME_HOST}.acme.example/{region}/v1" },
    auth: "aws_role",
    credential: { role_arn: "arn:aws:iam::123456789012:role/models", external_id: "ours" },
  };
  const json = set(set(sample(), "providers.role", role), "models.0.channels.0.provider", "role");
  const parsed = parseCatalog(json);
  expect(parseCatalog(structuredClone(parsed))).toEqual(parsed);
  expect(parsed.providers.role).toEqual(role);
  const [channel, ...others] = createCatalog(parsed).find("acme/sonic-1-5")?.channels ?? [];
  expect(channel).toMatchObject({ provider: "role", secret: "aws_role", needs: ["ACME_HOST"] });
  expect(others).toEqual([]);
  const provider = parsed.providers.role ?? { protocols: {} };
  expect(["ACME_HOST", "OTHER"].map((set) => isCallable(provider, (name) => name === set))).toEqual([
    true,
    false,
  ]);
});

test.each([
  [{ auth: "google" }, "secret: must be given, or `secrets`"],
  [
    { auth: "azure", secret: "AZURE_CREDENTIALS", credential: { region: "eu-west-1" } },
    "credential: means nothing for the auth azure",
  ],
  [
    { auth: "aws_role", credential: { session_tags: "organization" } },
    "credential.session_tags: means nothing without `role_arn`",
  ],
  [
    { auth: "aws_role", credential: { role_arn: "arn:aws:iam::123456789012:role/a", session_tags: "user" } },
    "credential.session_tags: Invalid input",
  ],
])("a provider of a cloud is refused with %j", (given, problem) => {
  const cloud = { protocols: { openai: "https://cloud.example/v1" }, ...given };
  expect(() => parseCatalog(set(sample(), "providers.acme", cloud))).toThrow(`providers.acme.${problem}`);
});

test.each([
  ["protocols.openai: vertex has no form for it", { host: "vertex" }],
  [
    "protocols.openai: must be of a provider of its own at bedrock",
    { host: "bedrock", protocols: { openai: "https://acme.example", converse: "https://acme.example" } },
  ],
  ["host: Invalid option", { host: "elsewhere" }],
])("a provider whose %s is refused", (problem, change) => {
  const role = { protocols: { openai: "https://acme.example/v1" }, auth: "aws_role", ...change };
  expect(() => parseCatalog(set(sample(), "providers.role", role))).toThrow(`providers.role.${problem}`);
});

test.each([
  ["cohere.embed-v4:0", "embeddings", undefined],
  ["eu.cohere.embed-v4:0", "embeddings", undefined],
  ["amazon.titan-embed-text-v2:0", "embeddings", undefined],
  ["amazon.titan-embed-image-v1", "embeddings", "embeddings"],
  ["arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a", "embeddings", "embeddings"],
  ["stability.sd3-5-large-v1:0", "images", undefined],
  ["amazon.nova-canvas-v1:0", "images", "images"],
  ["amazon.titan-embed-text-v2:0", "chat", "chat"],
])("Bedrock's form of %s for %s must be known", (model, capability, unknown) => {
  const role = { protocols: { openai: "https://a.example" }, auth: "aws_role", host: "bedrock" };
  const images = capability === "images" && { price: { mode: "per_image", unit_price: "1" } };
  const [first] = sample().models;
  const entry = { ...first, capabilities: [capability], ...images, channels: [{ provider: "role", model }] };
  const json = set(set(sample(), "providers.role", role), "models.0", entry);
  const problem = `channels[0].model: Bedrock has no known form of ${model} for ${unknown}`;
  if (unknown === undefined) expect(parseCatalog(json).models[0]?.channels).toMatchObject([{ model }]);
  else expect(() => parseCatalog(json)).toThrow(problem);
});
