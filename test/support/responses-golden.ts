/** The golden corpus of Responses, and what its crossing tests share. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "#shared/base/json/fields.ts";
import type { ReplyTarget } from "#shared/calls/protocols/crossing.ts";

export const root = join(import.meta.dirname, "..", "golden", "openai-responses");
export const read = (kind: string, file: string) => readFileSync(join(root, kind, file));
export const json = <T = Fields>(kind: string, file: string) => JSON.parse(read(kind, file).toString()) as T;

/** Cases of a folder that have the given companion file. */
export const cases = (kind: string, companion: string) =>
  readdirSync(join(root, kind))
    .filter((file) => file.endsWith(companion))
    .map((file) => file.slice(0, -companion.length));

export const replyTarget: ReplyTarget = {
  model: "test/model-1",
  request: { input: "Hello" },
  hide_usage: false,
};
export const chance = { seed: 20261121, numRuns: 200 };
