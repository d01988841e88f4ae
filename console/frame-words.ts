/** The words of the frame in the reader's language (words.ts shows them). */
import { signal } from "./state.ts";
import type { words as english } from "./words/en/frame.ts";

export type FrameWords = typeof english;

/** The frame is drawn only when its words are here. */
export const frameWords = signal<FrameWords>(undefined as unknown as FrameWords);
