/** Which pictures go with the next question, and which have no room. */
import { consoleBounds } from "./bounds.ts";

/** A file that was read. */
export interface PictureFile {
  /** An address that holds it whole (`data:`). */
  url: string;
  bytes: number;
}

/** The pictures of a conversation. */
export interface ChosenPictures {
  /** Those that go with the next question. */
  taken: readonly PictureFile[];
  /** The bytes of those that went with earlier questions. */
  sentBytes: number;
  /** Something that was chosen last has no room, or cannot be read. */
  isWrong: boolean;
}

export const noPictures: ChosenPictures = { taken: [], sentBytes: 0, isWrong: false };

const bytesOf = (files: readonly PictureFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Adds each file that has room within `consoleBounds`, in their order. `undefined` stands for one that was not read. */
export function withPictures(
  before: ChosenPictures,
  files: readonly (PictureFile | undefined)[],
): ChosenPictures {
  const { picturesMax, pictureBytesMax, conversationPictureBytesMax } = consoleBounds;
  const taken = [...before.taken];
  for (const file of files) {
    if (!file || file.bytes > pictureBytesMax || taken.length === picturesMax) continue;
    if (before.sentBytes + bytesOf(taken) + file.bytes <= conversationPictureBytesMax) taken.push(file);
  }
  return { ...before, taken, isWrong: taken.length < before.taken.length + files.length };
}

/** Takes away the picture at this place. */
export const withoutPicture = (before: ChosenPictures, at: number): ChosenPictures => ({
  ...before,
  taken: before.taken.filter((_, place) => place !== at),
  isWrong: false,
});

/** When a new conversation begins: those that wait for its first question stay. */
export const inNewConversation = ({ taken }: ChosenPictures): ChosenPictures => ({ ...noPictures, taken });

/** After these pictures went with a question. */
export const afterSending = ({ taken, sentBytes }: ChosenPictures): ChosenPictures => ({
  ...noPictures,
  sentBytes: sentBytes + bytesOf(taken),
});
