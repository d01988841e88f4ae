import * as z from "zod/mini";
import { decimal } from "../strings-schema.ts";

/** `per_image` in a catalog file. */
export const perImageSchema = <Rates extends z.ZodMiniType>(rates: Rates) =>
  z.strictObject({ mode: z.literal("per_image"), unit_price: decimal, rates });
