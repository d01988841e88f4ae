import type { Row } from "../guard.ts";

export const prices: Row[] = [];
