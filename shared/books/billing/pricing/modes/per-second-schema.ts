import * as z from "zod/mini";
import { decimal } from "../strings-schema.ts";
import { resolutions } from "./per-second.ts";

/** `per_second` in a catalog file. */
export const perSecondSchema = <Rates extends z.ZodMiniType>(rates: Rates) =>
  z.strictObject({
    mode: z.literal("per_second"),
    by_resolution: z.partialRecord(z.enum(resolutions), decimal),
    rates,
  });
