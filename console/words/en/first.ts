/** The words of what comes first: the frame, and the pages of the group `first`. */
export { found } from "found:first/en";
export { words as frame } from "./frame.ts";
