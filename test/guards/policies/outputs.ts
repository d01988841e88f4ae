import type { Row } from "../guard.ts";

export const outputs: Row[] = [];
