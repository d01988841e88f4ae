import type { Row } from "../guard.ts";

export const edge: Row[] = [];
