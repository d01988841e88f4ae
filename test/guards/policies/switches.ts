import type { Row } from "../guard.ts";

export const switches: Row[] = [];
