import type { Row } from "../guard.ts";

export const budgets: Row[] = [];
