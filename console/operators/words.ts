/** The words that all operators' pages share. Its frame sets them before it draws a page. */
import { signal } from "../state.ts";

export type OperatorWords = typeof import("../pages/operators/frame/en.ts").words;

export const operatorWords = signal<OperatorWords>(undefined as unknown as OperatorWords);
