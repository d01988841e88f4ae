/** The model that a program names: one that the reader's key may call. */
import { expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { programKinds, type SdkProtocol } from "../../console/sdk-programs.ts";
import { callableModels, familiesFor, programModel, sdkFamilies } from "../../console/snippets.ts";

const catalog = createCatalog(parseCatalog(catalogFile));
const models = catalog.models().map((model) => ({ ...model, plans: catalog.plansWith(model) }));
const protocols: SdkProtocol[] = ["openai", "anthropic", "gemini", "ark", "zhipu"];
/** The protocol of each SDK's models: AWS's SDKs name those of Anthropic. */
const ofFamilies = [...protocols, "anthropic"];
const plans = Object.keys(catalog.plans());

test.each(plans)(
  "a key of the plan %s may call the models of all programs, each of the SDK's vendor",
  (plan) => {
    for (const protocol of protocols) {
      const model = catalog.find(programModel(models, plan, protocol) ?? "");
      expect(model && catalog.plansWith(model)).toContain(plan);
      expect(model).toMatchObject({ permission: null, protocols: expect.arrayContaining([protocol]) });
      expect(model?.capabilities).toContain("chat");
    }
  },
);

test("a key of the wallet may call every model to chat with, but none that needs a permission", () => {
  const all = callableModels(models, undefined).map(({ id }) => id);
  expect(all).toEqual(models.filter(({ capabilities }) => capabilities.includes("chat")).map(({ id }) => id));
  const [first] = models;
  if (!first) throw new Error("the catalog has no models");
  expect(callableModels([{ ...first, permission: "AVG_V2" }], undefined)).toEqual([]);
});

test("where no model of the SDK's vendor is in the plan, its programs name another one of the plan", () => {
  const only = models.filter(({ id }) => id.startsWith("zhipu/"));
  for (const protocol of protocols) expect(programModel(only, "free", protocol)).toMatch(/^zhipu\//);
  expect(programModel([], "free", "openai")).toBeUndefined();
});

test("both programs of an SDK name the model of its protocol", () => {
  const families = sdkFamilies("http://gateway", (protocol) => `model-of-${protocol}`);
  const named = families.map(({ snippets }) =>
    snippets.map(({ program }) => /model-of-\w+/.exec(program)?.[0]),
  );
  expect(named).toEqual(ofFamilies.map((protocol) => [`model-of-${protocol}`, `model-of-${protocol}`]));
});

test("every model of the catalog has a program that names it, and asks for what it makes", () => {
  const calls = {
    chat: /chat\.completions|messages\.create|generate_?[cC]ontent|generateText|converse\(|ConverseCommand/,
    embeddings: /embeddings\.create|embed_?[cC]ontent/,
    multimodal_embeddings: /multimodal_embeddings\.create/,
    images: /images\.generate/,
    video: /content_generation\.tasks/,
  };
  for (const model of models) {
    const families = familiesFor("http://gateway", model);
    const kind = programKinds.find((each) => model.capabilities.includes(each)) ?? "chat";
    expect(families.length, model.id).toBeGreaterThan(0);
    for (const { protocol, snippets } of families) {
      if (kind !== "chat") expect(model.protocols, model.id).toContain(protocol);
      for (const { program } of snippets) {
        expect(program).toContain(JSON.stringify(model.id));
        expect(program).toMatch(calls[kind]);
      }
    }
  }
});

test("a model that chats has programs of all SDKs in both languages, whoever makes it", () => {
  const chat = models.find(({ capabilities }) => capabilities.includes("chat"));
  const families = familiesFor("http://gateway", chat ?? { id: "", capabilities: [], protocols: [] });
  expect(families.map(({ snippets }) => snippets.map(({ language }) => language).toSorted())).toEqual(
    ofFamilies.map(() => ["JavaScript", "Python"]),
  );
});
