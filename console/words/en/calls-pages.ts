import { words as calls } from "./calls.ts";
import { words as receipt } from "./receipt.ts";

export const words = { calls, receipt };
