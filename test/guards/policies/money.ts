import type { Row } from "../guard.ts";

export const money: Row[] = [];
