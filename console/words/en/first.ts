/** The words of what comes first: the frame, and the pages of the group `first`. */
export { found as pages } from "found:first/en";
export { words as frame } from "./frame.ts";
