/** What the table of families says of a model that the default catalog has is what the catalog says. */
import { expect, test } from "vitest";
import { familyTraits } from "#shared/books/prices/families.ts";
import { defaultCatalog } from "#test/support/traits.ts";

/** Traits without where they were read. */
const facts = ({ source: _, as_of: __, ...rest }: Record<string, unknown>) => rest;

test("a family takes what its models in the default catalog take", () => {
  const chats = defaultCatalog.models.filter(({ capabilities }) => capabilities.includes("chat"));
  const known = chats.flatMap(({ id, traits = {} }) => {
    const family = familyTraits(id);
    return family ? [{ id, family: facts({ ...family }), catalog: facts({ ...traits }) }] : [];
  });
  expect(known.length).toBeGreaterThan(30);
  for (const { id, family, catalog } of known) expect({ id, ...family }).toEqual({ id, ...catalog });
});
