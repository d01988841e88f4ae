/** The form of a policy: what is typed, and what is sent. */
import { expect, test } from "vitest";
import { policyRules } from "#shared/books/accounts/policy.ts";
import { readPolicy } from "#shared/edges/api/policy-request.ts";
import { policyOf, ruleExamples, ruleNames, textsOf, wrongRules } from "../../console/policy-form.ts";

const all = Object.fromEntries(Object.entries(policyRules).map(([name, { example }]) => [name, example]));

test("has every rule of the table, in its order", () => {
  expect(ruleNames).toEqual(Object.keys(policyRules));
  expect(ruleExamples).toEqual(textsOf(all));
});

test("sends what it shows, which the gateway reads as the same", () => {
  const texts = textsOf(all);
  expect(readPolicy(policyOf(texts))).toEqual(all);
  expect(policyOf({ ...texts, models: " openai/* ,\ngpt-5 ", switches: "none" })).toMatchObject({
    ...{ models: ["openai/*", "gpt-5"], switches: [] },
    max_output_tokens: 4096,
  });
  expect(textsOf({ switches: [] }).switches).toBe("none");
});

test("takes away what is emptied, and all of it where nothing is left", () => {
  expect(policyOf({ ...textsOf({ models: ["a"] }), providers: "b", models: " " })).toMatchObject({
    ...{ models: null, providers: ["b"], fallbacks: null },
  });
  expect(policyOf(textsOf())).toBeNull();
});

test.each(["0", "-1", "1.5", "many", "999999999"])("%s is no number of tokens", (text) => {
  expect(wrongRules({ ...textsOf(), max_output_tokens: text })).toEqual(new Set(["max_output_tokens"]));
});
