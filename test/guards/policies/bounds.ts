import type { Row } from "../guard.ts";

export const bounds: Row[] = [];
