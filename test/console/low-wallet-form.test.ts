/** The form that says when a wallet is low: what it shows, refuses and sends, and that the server takes it. */
import { describe, expect, test } from "vitest";
import { readWalletThresholds } from "#shared/edges/api/wallet-thresholds.ts";
import { thresholdLimits } from "#shared/people/thresholds/bounds.ts";
import { lowDaysMax, lowWalletBody, lowWalletForm, wrongLowWallet } from "../../console/low-wallet-form.ts";

describe("the form of a low wallet", () => {
  test("shows what is set, and sends the same", () => {
    for (const set of [
      { below_points: "50.5", below_days: 7 },
      { below_points: null, below_days: 3 },
      { below_points: "1", below_days: null },
      { below_points: null, below_days: null },
    ]) {
      const form = lowWalletForm({ object: "wallet_thresholds", ...set });
      expect(wrongLowWallet(form).size).toBe(0);
      expect(lowWalletBody(form)).toEqual(set);
    }
  });

  test("has the server's bound of days", () => {
    expect(lowDaysMax).toBe(thresholdLimits.walletDaysMax);
  });

  test("sends only what the server takes, and refuses in its field what it does not", () => {
    const points = ["", " 50 ", "0.5", "1e3", "-1", "0", "0.0", "5,0", ".5", "abc", "999999999999999"];
    const days = ["", "1", " 90 ", "91", "0", "1.5", "-3", "x", "007"];
    const takes = (form: { points: string; days: string }) => {
      try {
        readWalletThresholds({ ...lowWalletBody(form) });
        return true;
      } catch {
        return false;
      }
    };
    for (const each of points) {
      const isWrong = wrongLowWallet({ points: each, days: "" }).has("points");
      if (!isWrong) expect([each, takes({ points: each, days: "" })]).toEqual([each, true]);
    }
    for (const each of days) {
      const isWrong = wrongLowWallet({ points: "", days: each }).has("days");
      if (!isWrong) expect([each, takes({ points: "", days: each })]).toEqual([each, true]);
    }
    expect([...wrongLowWallet({ points: "-1", days: "91" })]).toEqual(["points", "days"]);
    expect([...wrongLowWallet({ points: " 0.5 ", days: "90" })]).toEqual([]);
  });
});
