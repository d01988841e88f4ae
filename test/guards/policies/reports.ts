import type { Row } from "../guard.ts";

export const reports: Row[] = [];
