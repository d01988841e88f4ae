/** The formats that bills are read in, by their names on the command line. */
import { anthropicCosts, anthropicUsage } from "./anthropic.ts";
import { focusCsv } from "./focus.ts";
import type { BillFormat } from "./format.ts";
import { googleExport } from "./google.ts";
import { openAiCosts, openAiEmbeddings, openAiUsage } from "./openai.ts";
import { plainCsv } from "./plain-csv.ts";

export const billFormats = {
  csv: plainCsv,
  "openai-usage": openAiUsage,
  "openai-embeddings": openAiEmbeddings,
  "openai-costs": openAiCosts,
  "anthropic-usage": anthropicUsage,
  "anthropic-costs": anthropicCosts,
  focus: focusCsv,
  google: googleExport,
} as const satisfies Record<string, BillFormat>;

export type BillFormatName = keyof typeof billFormats;

export const billFormatNames = Object.keys(billFormats) as BillFormatName[];

/** The format of a document, by what vendors put into it; undefined where that says nothing. */
export function formatOf(text: string): BillFormatName | undefined {
  const [head = ""] = text.split(/\r?\n/, 1);
  if (!/^[\uFEFF\s]*[{[]/.test(text)) {
    if (head.includes("ChargePeriodStart")) return "focus";
    return /\bday\b/.test(head) && /\bmodel\b/.test(head) ? "csv" : undefined;
  }
  return signs.find(([, sign]) => sign.test(text))?.[0];
}

/** What only documents of a format have. */
const signs: readonly (readonly [BillFormatName, RegExp])[] = [
  ["openai-usage", /"organization\.usage\.completions\.result"/],
  ["openai-embeddings", /"organization\.usage\.embeddings\.result"/],
  ["openai-costs", /"organization\.costs\.result"/],
  ["anthropic-usage", /"uncached_input_tokens"\s*:/],
  ["google", /"usage_start_time"\s*:/],
  ["anthropic-costs", /"cost_type"\s*:/],
];
