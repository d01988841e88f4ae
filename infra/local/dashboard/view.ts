/** What the dashboard's server shows. It is loaded with the first request. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readTemplate } from "../stack/template.ts";
import { readDefinition } from "./definition.ts";
import { createCounter } from "./log-metrics.ts";
import { LogTail } from "./log-tail.ts";
import type { Metrics } from "./metrics.ts";
import { boardAt, pageOf } from "./page.ts";
import type { Sampler } from "./sampler.ts";

export interface ViewOptions {
  /** The file of the template. */
  template: string;
  /** The file of the functions' log. */
  log: string;
  metrics: Metrics;
  sampler: Sampler;
  /** When the measuring began, Unix milliseconds. */
  since: number;
  /** The address of the gateway. */
  gatewayUrl(): string;
}

export interface View {
  /** What is at a path; undefined where nothing is. */
  file(path: string): Promise<{ type: string; body: string } | undefined>;
  close(): Promise<void>;
}

/** The files of the page that are always the same. */
const fixed: Record<string, string> = { "/page.css": "text/css", "/page.js": "text/javascript" };

/** Reads the template. Throws where its dashboard cannot be drawn. */
export function openView({ template, log, metrics, sampler, since, gatewayUrl }: ViewOptions): View {
  const definition = readDefinition(readTemplate(template));
  const tail = new LogTail(log, createCounter(definition.filters, metrics, Date.now));
  const source = { metrics, since, isMeasured: sampler.isMeasured.bind(sampler) };
  const read = async () => {
    sampler.sample();
    await tail.read();
    return boardAt(definition, Date.now(), source);
  };
  return {
    async file(path) {
      const type = fixed[path];
      if (type) return { type, body: readFileSync(join(import.meta.dirname, path), "utf8") };
      if (path === "/") return { type: "text/html", body: pageOf(await read(), gatewayUrl()) };
      if (path === "/dashboard.json") return { type: "application/json", body: JSON.stringify(await read()) };
      return undefined;
    },
    close: () => tail.close(),
  };
}
