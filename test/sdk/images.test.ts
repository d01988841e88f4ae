/** The official OpenAI SDKs edit images through the running gateway: every file arrives byte for byte. */
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});
beforeEach(() => {
  upstream.reset();
  upstream.json({ created: 1, data: [{ b64_json: "iVBORw0KGgo=" }] });
});

/** Pictures of all bytes, large enough to arrive in several reads. */
const picture = (bytes: number, step: number) =>
  Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * step) % 257));
const pictures = [picture(300_000, 7), picture(100_000, 11)] as const;
const sdks = { "openai 7": OpenAI, "openai 6": OpenAI6 as unknown as typeof OpenAI };
const cases = Object.entries(sdks).flatMap(([name, Sdk]) =>
  ["/v1", "/api/v1", "/api/v3"].map((path) => [name, path, Sdk] as const),
);

/** What the provider received: text as it is, files as their name, type and bytes. */
async function received(): Promise<unknown[]> {
  const { body, headers } = upstream.requests[0] ?? { body: Buffer.alloc(0), headers: {} };
  const type = String(headers["content-type"]);
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === "string"
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString("base64")],
    ),
  );
}

describe.each(cases)("%s on %s", (_, path, Sdk) => {
  const client = () => new Sdk({ apiKey: gateway.keys.payg, baseURL: gateway.url + path, maxRetries: 0 });
  const pictureFile = (at: 0 | 1) => Sdk.toFile(pictures[at], `${at}.png`, { type: "image/png" });
  const sent = (at: 0 | 1) => [`${at}.png`, "image/png", pictures[at].toString("base64")];

  test("one file", async () => {
    const image = await pictureFile(0);
    const answer = await client().images.edit({ model: "test/image-1", image, prompt: "A hat" });
    expect(answer.data?.[0]?.b64_json).toBe("iVBORw0KGgo=");
    expect(upstream.requests[0]?.path).toBe("/v1/images/edits");
    expect((await received()).toSorted()).toEqual([
      ["image", ...sent(0)],
      ["model", "upstream-image"],
      ["prompt", "A hat"],
    ]);
  });

  test("two files, a mask and a number", async () => {
    const image = [await pictureFile(0), await pictureFile(1)];
    await client().images.edit({
      model: "test/image-1",
      image,
      mask: await pictureFile(1),
      prompt: "Hats",
      n: 2,
    });
    expect((await received()).toSorted()).toEqual([
      ["image[]", ...sent(0)],
      ["image[]", ...sent(1)],
      ["mask", ...sent(1)],
      ["model", "upstream-image"],
      ["n", "2"],
      ["prompt", "Hats"],
    ]);
  });

  test("a refusal is thrown as the class of its status", async () => {
    const edit = client().images.edit({
      model: "test/image-1",
      image: await pictureFile(0),
      prompt: "A",
      n: 99,
    });
    await expect(edit).rejects.toMatchObject({ status: 400, param: "n" });
    expect(upstream.requests).toEqual([]);
  });
});

test("every picture is on the ledger", () => expectCleanAudit(gateway));
