/** `operator model …`: the edit of a catalog's own files. What a running gateway makes of it is in test/local. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import { shellWords } from "#test/support/manual.ts";
import { runHere } from "#test/support/streams.ts";

const scratch = mkdtempSync(join(tmpdir(), "own-models-"));
afterAll(() => rmSync(scratch, { recursive: true }));

let folder = "";
let folders = 0;
beforeEach(() => {
  folder = join(scratch, String(folders++));
  mkdirSync(folder);
  write("catalog.json", { extends: relative(folder, defaultCatalog) });
});

const write = (name: string, json: object) => writeFileSync(join(folder, name), catalogText(json));
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const files = () => readdirSync(folder).map((name) => [name, read(name)]);

async function operate(line: string) {
  const { code, out, error } = await runHere([...shellWords(line), "--catalog", folder, "--json"]);
  return { code, value: out === "" ? {} : JSON.parse(out), error };
}

const url = "http://127.0.0.1:8000/v1";
const add = `model add --like deepseek/deepseek-v4-pro --provider vllm --url ${url}`;

describe("model add", () => {
  test("writes one small file of the vendor, in the form of the others", async () => {
    const common = read("catalog.json");
    const { code, value } = await operate(`${add} --price free`);
    expect([code, value.model, value.like]).toEqual([0, "vllm/deepseek-v4-pro", "deepseek/deepseek-v4-pro"]);
    expect(readdirSync(folder)).toEqual(["catalog.json", "vllm.json"]);
    expect(read("catalog.json")).toBe(common);
    const text = read("vllm.json");
    expect(text).toBe(catalogText(JSON.parse(text)));
    expect(text.split("\n").length).toBeLessThan(40);
    expect(readCatalog(folder).providers.vllm).toMatchObject({
      protocols: { openai: url },
      secret: "VLLM_API_KEY",
    });
  });

  test("gives it the abilities, sizes and traits of the other, and none of its names", async () => {
    await operate(`${add} --price free --upstream-model deepseek-ai/DeepSeek-V4 --context 65536`);
    const { models } = readCatalog(folder);
    const like = models.find(({ id }) => id === "deepseek/deepseek-v4-pro");
    const own = models.find(({ id }) => id === "vllm/deepseek-v4-pro");
    expect(like?.aliases).toEqual(["deepseek-v4-pro"]);
    expect(own).toMatchObject({
      aliases: [],
      capabilities: like?.capabilities,
      context_tokens: 65_536,
      output_tokens: like?.output_tokens,
      owned_by: "vllm",
      channels: [{ provider: "vllm", model: "deepseek-ai/DeepSeek-V4" }],
    });
    expect(own?.traits).toEqual({
      ...like?.traits,
      source: `as deepseek/deepseek-v4-pro: ${like?.traits?.source}`,
    });
  });

  test.each([
    ["--price free", { input: "0", output: "0" }, "free"],
    ["--price like", { input: "1.32", output: "3.96", cache_read: "0.044" }, "as deepseek/deepseek-v4-pro: "],
    ["--input 0.5 --output 1.5", { input: "0.5", output: "1.5", cache_read: "0.5" }, "as its operator says"],
  ])("prices it as %s says", async (flags, price, source) => {
    await operate(`${add} ${flags}`);
    const own = readCatalog(folder).models.find(({ id }) => id === "vllm/deepseek-v4-pro");
    expect(own?.price).toMatchObject(price);
    expect(own?.price_source?.source).toContain(source);
  });

  test("prices what is not counted by tokens at nothing too", async () => {
    const like = readCatalog(folder).models.filter(({ price }) => price?.mode.startsWith("per_"));
    const modes = new Map(like.map((model) => [model.price?.mode, model]));
    expect([...modes.keys()].sort()).toEqual(["per_image", "per_second"]);
    for (const { id } of modes.values()) {
      const { code, error } = await operate(
        `model add --like ${id} --provider own --url ${url} --protocol ark --price free`,
      );
      expect([code, error], id).toEqual([0, ""]);
      rmSync(join(folder, "own.json"));
    }
  });

  test("says what it changes for customers", async () => {
    const { value } = await operate(`${add} --input 0.5 --output 1.5`);
    expect(value.changes).toContainEqual({
      of: "vllm/deepseek-v4-pro",
      term: "output",
      before: "none",
      after: "1.5",
      change: "new",
    });
    expect(value.in_force).toBe(false);
  });

  test("leaves what is in the vendor's file as it is", async () => {
    await operate(`${add} --price free`);
    const before = read("vllm.json");
    const { code } = await operate(
      "model add --like groq/gpt-oss-120b --provider vllm --price free --name oss",
    );
    expect(code).toBe(0);
    const lost = before.split("\n").filter((line) => !read("vllm.json").includes(line));
    // The comma after the model that was the last one.
    expect(lost).toEqual([]);
    expect(JSON.parse(read("vllm.json")).models).toHaveLength(2);
    expect(readCatalog(folder).models.at(-1)).toMatchObject({ id: "vllm/oss", display_name: "oss on vllm" });
  });

  test("takes a provider of the catalog that is extended, without its address", async () => {
    const { code } = await operate(
      "model add --like groq/gpt-oss-120b --provider groq --name oss --price like --upstream-model openai/gpt-oss-120b-fast",
    );
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(read("groq.json")))).toEqual(["models"]);
  });

  test.each([
    ["model add --like deepseek/deepseek-v4 --provider vllm --price free", "did you mean"],
    ["model add --like deepseek/deepseek-v4-pro --provider vllm --price free", "--url says where it is"],
    [`${add} `, "say what callers pay"],
    [`${add} --price free --input 1 --output 1`, "either --price or --input and --output"],
    [`${add} --input 1`, "--input and --output go together"],
    [`${add} --input 1 --output much`, "--output takes a decimal"],
    [`${add} --input 1 --output 0.1234567`, "at most six decimals"],
    [`${add} --price dear`, "--price must be one of free, like"],
    [`${add} --price free --protocol grpc`, "--protocol must be one of"],
    [`${add} --price free --context 0`, "--context takes 1 to"],
    [`${add} --price free --secret lower`, "must be a name like ACME_API_KEY"],
    [`${add} --price free --name 'a b'`, "must look like <provider>/<model-name>"],
    [`${add} --prices free`, "did you mean --price"],
    [
      "model add --like groq/gpt-oss-120b --provider groq --price like",
      "reads the same as a name of groq/gpt-oss-120b",
    ],
    [
      "model add --like groq/gpt-oss-120b --provider groq --url http://127.0.0.1:1/v1 --name x --price like",
      "has a provider groq already, at https://api.groq.com/openai/v1",
    ],
    ["model add --like groq/gpt-oss-120b --provider 'v llm' --price free", "--provider takes a name"],
    [
      "model add --like groq/gpt-oss-120b --provider x --url http://gpu.example:8000/v1 --price free",
      "http is for this machine alone",
    ],
    ["model add --like groq/gpt-oss-120b --provider x --url gpu:8000 --price free", "is no URL"],
    ["model add --like groq/gpt-oss-120b --provider x --url ftp://127.0.0.1 --price free", "is no URL"],
    [
      "model add --like groq/gpt-oss-120b --provider x --url https://key@gpu.example/v1 --price free",
      "an address alone",
    ],
    [
      `model add --like openai/text-embedding-3-small --provider x --url ${url} --protocol anthropic --price free`,
      "speaks no protocol for embeddings",
    ],
    [
      `model add --like groq/gpt-oss-120b --provider x --url ${url} --price free --max-output none`,
      "--max-output takes",
    ],
  ])("refuses %s and writes nothing", async (line, problem) => {
    const before = files();
    const { code, error } = await operate(line);
    expect(error).toContain(problem);
    expect([code, files()]).toEqual([2, before]);
  });

  test("changes a catalog of one file in that file", async () => {
    const file = join(folder, "own.json");
    cpSync(join(folder, "catalog.json"), file);
    const { code } = await runHere([...shellWords(`${add} --price free`), "--catalog", file]);
    expect([code, readdirSync(folder)]).toEqual([0, ["catalog.json", "own.json"]]);
    expect(readCatalog(file).models.at(-1)?.id).toBe("vllm/deepseek-v4-pro");
  });
});

describe("model remove", () => {
  test("takes the model out, and its provider and file with the last one", async () => {
    const before = files();
    await operate(`${add} --price free`);
    await operate("model add --like groq/gpt-oss-120b --provider vllm --price free --name oss");
    expect((await operate("model remove vllm/oss")).code).toBe(0);
    expect(readCatalog(folder).providers.vllm).toBeDefined();
    const { value } = await operate("model remove vllm/deepseek-v4-pro");
    expect(value).toMatchObject({ model: "vllm/deepseek-v4-pro", changes: [{ change: "gone" }] });
    expect(files()).toEqual(before);
  });

  test.each([
    ["openai/gpt-5.4-mini", "takes out own models alone"],
    ["vllm/deepseek-v4-pr", "did you mean vllm/deepseek-v4-pro"],
    ["vllm/DeepSeek.V4.Pro", "is another name of vllm/deepseek-v4-pro"],
    ["deepseek-v4-pro", "is another name of deepseek/deepseek-v4-pro"],
  ])("refuses %s", async (name, problem) => {
    await operate(`${add} --price free`);
    const before = files();
    const { code, error } = await operate(`model remove ${name}`);
    expect(error).toContain(problem);
    expect([code, files()]).toEqual([2, before]);
  });

  test.each([
    ["the cache", { cache: { embedder: "openai/text-embedding-3-small", verifier: "vllm/deepseek-v4-pro" } }],
    [
      "a plan alone",
      {
        plans: {
          mine: {
            price: { monthly: "0", quarterly: "0", yearly: "0" },
            quota: { monthly: 1, quarterly: 1, yearly: 1 },
            rpm: 1,
            tpm: null,
            tpd: null,
            models: ["openai/*", "vllm/*"],
          },
        },
      },
    ],
  ])("refuses one that %s names", async (_, common) => {
    await operate(`${add} --price free`);
    write("catalog.json", { extends: relative(folder, defaultCatalog), ...common });
    const before = files();
    const { code, error } = await operate("model remove vllm/deepseek-v4-pro");
    expect(error).toMatch(/is the cache's verifier|the plan mine names it as vllm\/\*/);
    expect([code, files()]).toEqual([2, before]);
  });
});

describe("models are shown", () => {
  test("in a list, by provider and by what is in a name", async () => {
    await operate(`${add} --price free`);
    const names = async (flags: string): Promise<string[]> =>
      (await operate(`model list ${flags}`)).value.map(({ model }: { model: string }) => model);
    expect(await names("--provider vllm")).toEqual(["vllm/deepseek-v4-pro"]);
    expect(await names("--like DEEPSEEK-V4-PRO")).toContain("vllm/deepseek-v4-pro");
    expect(await names("--like deepseek-v4-pro --provider deepseek")).toEqual(["deepseek/deepseek-v4-pro"]);
    expect(await names("--like nothing-has-this")).toEqual([]);
    const [line] = (await operate("model list --like gpt-5.4-mini --provider openai")).value;
    expect(line).toMatchObject({ context: 400_000, price: "0.75 / 4.5", price_of: expect.any(String) });
    expect((await operate("model list --provider vlm")).error).toContain("the catalog has no provider vlm");
  });

  test("one by one, with where each trait comes from", async () => {
    await operate(`${add} --price like`);
    const { value } = await operate("model show vllm/deepseek.v4.pro");
    expect(value).toMatchObject({
      model: "vllm/deepseek-v4-pro",
      file: join(folder, "vllm.json"),
      price: { input: "1.32" },
      price_of: "2026-11-20",
      plans: "lite, pro",
      channels: [{ provider: "vllm", key: "VLLM_API_KEY", address: `openai ${url}` }],
    });
    const shipped = (await operate("model show deepseek-v4-pro")).value;
    expect(shipped.file).toBe(join(defaultCatalog, "deepseek.json"));
    const stated = shipped.traits.map(({ trait, of }: { trait: string; of: string }) => `${trait} ${of}`);
    expect(stated).toEqual(expect.arrayContaining(["reasoning model", "replay provider"]));
    expect((await operate("model show nobody")).error).toContain("there is no model nobody");
  });
});
