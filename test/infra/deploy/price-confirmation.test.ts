/** The question before a deployment that changes prices, and who may answer it. */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import {
  confirmPrices,
  offerInFile,
  offerInTemplate,
  offerName,
  showPrices,
  templateOffering,
} from "#infra/deploy/price-confirmation.ts";
import type { Offer } from "#shared/books/prices/offer.ts";

const before: Offer = { "acme/chat": { input: "1", output: "2" }, "plan pro": { "price monthly": "599" } };
const after: Offer = { "acme/chat": { input: "1.25", output: "2" }, "plan pro": { "price monthly": "599" } };
const question = { stack: "model-gateway-prod", before, after, confirmed: undefined, isTrial: false };

/** Asks at a terminal on which somebody types `answer`, or in a pipe. Gives the verdict and what was shown. */
async function ask(asked: Parameters<typeof confirmPrices>[0], answer?: string) {
  const isTTY = answer !== undefined;
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  let shown = "";
  output.on("data", (data) => (shown += String(data)));
  input.end(answer);
  const terminal = { input, output } as unknown as Parameters<typeof confirmPrices>[1];
  return { deploys: await confirmPrices(asked, terminal), shown };
}

/** The hash that a refusal names. */
const hashIn = (shown: string) => /--confirm-prices ([0-9a-f]{12})/.exec(shown)?.[1];

describe("prices that change", () => {
  it("are shown, and not deployed where nobody can be asked", async () => {
    const { deploys, shown } = await ask(question);
    expect(deploys).toBe(false);
    expect(shown).toContain(
      [
        "of         term   before  after  change",
        "acme/chat  input  1       1.25   +25 %",
        "",
        "Nothing was deployed, because nobody can be asked here. To confirm: --confirm-prices ",
      ].join("\n"),
    );
  });

  it("are deployed with the hash of exactly these changes", async () => {
    const confirmed = hashIn((await ask(question)).shown);
    expect(await ask({ ...question, confirmed })).toMatchObject({ deploys: true });
    const dearer = { ...after, "acme/chat": { input: "1.26", output: "2" } };
    const other = await ask({ ...question, after: dearer, confirmed });
    expect(other.deploys).toBe(false);
    expect(other.shown).toContain(`--confirm-prices ${confirmed} is not the hash of this change`);
    // A person who gave a wrong hash is not asked instead.
    expect((await ask({ ...question, confirmed: "0123456789ab" }, "y\n")).deploys).toBe(false);
  });

  it.each([
    ["y\n", true],
    ["yes\n", true],
    ["\n", false],
    ["no\n", false],
    ["", false],
  ])("are asked of a person, who says %j", async (answer, deploys) => {
    const asked = await ask(question, answer);
    expect(asked.deploys).toBe(deploys);
    expect(asked.shown).toMatch(
      /new calls are charged by the new catalog\. .* [0-9a-f]{12}\.\nGo on\? \[y\/N\]/,
    );
  });

  it("are only shown for a stage that has no customers", async () => {
    const { deploys, shown } = await ask({ ...question, isTrial: true });
    expect(deploys).toBe(true);
    expect(shown).toContain("+25 %");
  });
});

describe("a deployment", () => {
  it("that changes no price asks nothing, whatever was confirmed", async () => {
    for (const confirmed of [undefined, "0123456789ab"]) {
      const { deploys, shown } = await ask({ ...question, after: before, confirmed });
      expect([deploys, shown]).toEqual([true, "model-gateway-prod keeps its prices and plans.\n"]);
    }
  });

  it("over one that did not note its prices asks too", async () => {
    const { deploys, shown } = await ask({ ...question, before: undefined });
    expect(deploys).toBe(false);
    expect(shown).toContain("cannot be compared: a release before 2026-11-23 was deployed");
    expect(await ask({ ...question, before: undefined, confirmed: hashIn(shown) })).toMatchObject({
      deploys: true,
    });
  });
});

it("is read from the file of a catalog, and from a template", () => {
  const offer = offerInFile(defaultCatalog);
  expect(Object.keys(offer)).toContain("plan pro");
  expect(offerInTemplate(JSON.stringify({ Metadata: { [offerName]: offer }, Resources: {} }))).toEqual(offer);
  expect(offerInTemplate('{"Resources":{}}')).toBeUndefined();
  expect(() => offerInFile(import.meta.filename)).toThrow(/^catalog .*price-confirmation\.test\.ts: /);
});

describe("a comparison without a deployment", () => {
  const stack = "model-gateway-prod";
  /** What is shown, and the hash that is given. */
  const shown = (asked: { before: Offer | undefined; after: Offer }) => {
    let text = "";
    const output = new PassThrough();
    output.on("data", (data) => (text += String(data)));
    const hash = showPrices({ stack, ...asked }, output as unknown as NodeJS.WriteStream);
    return { hash, text };
  };

  it("gives the hash that a deployment takes", async () => {
    const { hash, text } = shown({ before, after });
    expect(text).toContain("acme/chat  input  1       1.25   +25 %");
    expect((await ask({ ...question, confirmed: hash })).deploys).toBe(true);
  });

  it("gives none where prices stay", () => {
    expect(shown({ before, after: before })).toEqual({
      hash: undefined,
      text: "model-gateway-prod keeps its prices and plans.\n",
    });
  });

  it("leaves prices to the table: the templates do not differ in them", () => {
    const deployed = { Metadata: { [offerName]: before, other: 1 }, Resources: { A: {} } };
    const compared = JSON.parse(templateOffering(JSON.stringify(deployed), after));
    expect(compared).toEqual({ Metadata: { [offerName]: after, other: 1 }, Resources: { A: {} } });
    expect(offerInTemplate(templateOffering("{}", after))).toEqual(after);
  });
});
