import type { Row } from "../guard.ts";

export const streams: Row[] = [];
