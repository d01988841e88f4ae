/** A vendor's bill and the close of a month, for an operator's day. */
import { monthBeforeLast } from "./closing.ts";
import { backup } from "./operated.ts";

/** What a vendor says of a day on which the gateway made no call: somebody else has its key. */
export const vendorUsage = {
  object: "page",
  data: [
    {
      object: "bucket",
      ...{
        start_time: Date.parse("2026-01-15T00:00:00Z") / 1000,
        end_time: Date.parse("2026-01-16T00:00:00Z") / 1000,
      },
      results: [
        {
          object: "organization.usage.completions.result",
          ...{ model: "backup-model", input_tokens: 1200, input_cached_tokens: 200, output_tokens: 300 },
          ...{ num_model_requests: 2, api_key_id: null, batch: false, service_tier: "default" },
        },
      ],
    },
  ],
  has_more: false,
};

/** The month before the last one is closed. Nobody was there yet, so its journal is empty. */
export const closeLines: readonly string[] = ["check", "close", "list", "show", "verify", "export"].map(
  (what) => (what === "list" ? "month list" : `month ${what} ${monthBeforeLast()}`),
);

/** A vendor's bill is imported, looked at, compared and withdrawn. */
export async function onBills(type: (line: string) => Promise<string>): Promise<void> {
  const imported = await type(`bills import usage.json --provider ${backup}`);
  await type("bills list --month 2026-01");
  await type("bills compare --month 2026-01");
  const [id = ""] = /bill_[0-9a-f]{20}/.exec(imported) ?? [];
  await type(`bills withdraw ${id} --reason 'of another account'`);
}
