/** Documents of vendors in short, and what reading them says. */
import { BillRefused } from "#shared/books/reports/bills/bill.ts";
import { type BillFormatName, billFormats } from "#shared/books/reports/bills/formats/index.ts";

/** After the days of the documents. */
export const afterwards = Date.parse("2026-12-01T12:00:00Z");
/** The day of the documents, as OpenAI tells it. */
export const start = Date.parse("2026-11-03T00:00:00Z") / 1000;

export const read = (format: BillFormatName, text: string) => billFormats[format].read(text);

/** What is wrong with a document; nothing if it is read. */
export function problemsOf(format: BillFormatName, text: string) {
  try {
    read(format, text);
  } catch (error) {
    if (error instanceof BillRefused) return error.problems;
    throw error;
  }
  return [];
}

/** A page of OpenAI with one result. */
export const openAiUsage = (result: object, more: object = {}) =>
  JSON.stringify({
    object: "page",
    data: [{ object: "bucket", start_time: start, end_time: start + 86_400, results: [result] }],
    ...more,
  });
/** A result of completions. */
export const usage = {
  object: "organization.usage.completions.result",
  ...{ input_tokens: 1000, output_tokens: 500, input_cached_tokens: 800, num_model_requests: 5 },
  ...{ project_id: null, user_id: null, api_key_id: "key_1", model: "gpt-4o-2024-08-06", batch: null },
};
