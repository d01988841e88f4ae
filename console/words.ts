/** The language of the reader, and the words of the frame in it. A page's words come with the page (registry.ts). */

import { type FrameWords, frameWords, type Locale, locale, locales } from "./locale.ts";

export { frameWords, type Locale, locale, locales };

/** What each language is called in itself. */
export const localeNames: Record<Locale, string> = { en: "English", zh: "中文" };

const frames: Record<Locale, () => Promise<{ frame: FrameWords }>> = {
  en: () => import("./words/en/first.ts"),
  zh: () => import("./words/zh/first.ts"),
};

/** The newest choice. One whose words come after it was replaced is not shown. */
let newest: Locale | undefined;

/** Reads the frame's words of a language and shows them. Rejects where they do not come. */
export async function showLocale(wanted: Locale): Promise<void> {
  newest = wanted;
  const { frame } = await frames[wanted]();
  if (newest !== wanted) return;
  frameWords.value = frame;
  locale.value = wanted;
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
  localStorage.setItem("locale", wanted);
}

/** Loads the console anew in a language: a browser does not ask again for a file of a page that it did not get. */
export function loadIn(wanted: Locale): void {
  localStorage.setItem("locale", wanted);
  location.reload();
}

/** The language that was chosen here before, or the first of the browser's that we have. */
export function preferredLocale(): Locale {
  const wished = [localStorage.getItem("locale") ?? "", ...navigator.languages];
  for (const tag of wished) {
    const found = locales.find((each) => tag.toLowerCase().startsWith(each));
    if (found) return found;
  }
  return "en";
}
