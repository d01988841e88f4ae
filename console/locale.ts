/** The languages of the console, the one that is shown, and the words of the frame in it (words.ts shows them). */
import type { Locale } from "../shared/people/identity/user.ts";
import { signal } from "./state.ts";

export type { Locale };
export const locales = ["en", "zh"] as const satisfies readonly Locale[];

export const locale = signal<Locale>("en");

export type FrameWords = typeof import("./words/en/frame.ts").words;

/** The frame is drawn only when its words are here. */
export const frameWords = signal<FrameWords>(undefined as unknown as FrameWords);
