/** What is sold, by currency: the rates and bounds of a recharge. */
import { describe, expect, test } from "vitest";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

const catalog = parseCatalog(catalogFile);

describe("recharge", () => {
  const terms = { points_per_unit: "1", min: "1.00", max: "50000.00", channels: ["alipay"] };
  const sold = (change: object, code = "CNY", more: object = {}) =>
    parseCatalog({ ...catalog, ...more, recharge: { [code]: { ...terms, ...change } } }).recharge;

  test("is kept as it is given", () => {
    expect(sold({})).toEqual({ CNY: terms });
    expect(catalog.recharge?.CNY?.points_per_unit).toBe("1");
  });

  test.each<[object, string, string?]>([
    [{ points_per_unit: "0" }, "recharge.CNY.points_per_unit: must be more than 0"],
    [{ min: "0.00" }, "recharge.CNY.min: must be an amount of CNY above 0"],
    [{ min: "0.001" }, "recharge.CNY.min: must be an amount of CNY above 0"],
    [{ max: "1e3" }, "recharge.CNY.max: must be an amount of CNY above 0"],
    [{ min: "2.00", max: "1.00" }, "recharge.CNY.min: must be at most max"],
    [{ channels: [] }, "recharge.CNY.channels"],
    [{ channels: ["alipay", "alipay"] }, "must not name one twice"],
    [{}, "must be one of AUD", "XXX"],
  ])("%j is refused: %s", (change, problem, code) => {
    expect(() => sold(change, code)).toThrow(problem);
  });

  test("sells at the rate that exports show", () => {
    const currency = { code: "CNY", points_per_unit: "100" };
    expect(() => sold({}, "CNY", { currency })).toThrow("must be that of currency");
    expect(sold({ points_per_unit: "100.00" }, "CNY", { currency })).toBeDefined();
  });
});
