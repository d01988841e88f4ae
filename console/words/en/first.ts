/** The words of what comes first: the frame, the overview and the sign-in. */
export { words as frame } from "./frame.ts";
export { words as overview } from "./overview.ts";
export { words as signIn } from "./sign-in.ts";
