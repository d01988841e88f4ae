/** The languages of the console, the one that is shown, and the words of the frame in it (words.ts shows them). */
import { signal } from "./state.ts";
import type { words as english } from "./words/en/frame.ts";

export const locales = ["en", "zh"] as const;
export type Locale = (typeof locales)[number];

export const locale = signal<Locale>("en");

export type FrameWords = typeof english;

/** The frame is drawn only when its words are here. */
export const frameWords = signal<FrameWords>(undefined as unknown as FrameWords);
