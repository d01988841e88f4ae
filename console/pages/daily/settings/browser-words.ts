import { browserNames } from "../../../browser-name.ts";

type Words = Pick<typeof import("./en.ts").words, "on">;

/** A browser as people call it, by its `user-agent`: both words where both are known, else the one that is, else "". */
export function browserIn(words: Words, label: string): string {
  const { browser, system } = browserNames(label);
  return browser && system ? words.on(browser, system) : (browser ?? system ?? "");
}
