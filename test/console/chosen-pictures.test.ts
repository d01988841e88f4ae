/** Which pictures go with a question of the playground. */
import { describe, expect, test } from "vitest";
import { consoleBounds } from "../../console/bounds.ts";
import {
  afterSending,
  inNewConversation,
  noPictures,
  type PictureFile,
  withoutPicture,
  withPictures,
} from "../../console/chosen-pictures.ts";

const { picturesMax, pictureBytesMax, conversationPictureBytesMax } = consoleBounds;
const file = (bytes: number, url = "data:,"): PictureFile => ({ url, bytes });
const many = (length: number, bytes: number) => Array.from({ length }, () => file(bytes));

describe("a picture has room", () => {
  test("up to the bound of one, and not a byte over", () => {
    const chosen = withPictures(noPictures, [file(pictureBytesMax + 1), file(pictureBytesMax), undefined]);
    expect(chosen).toEqual({ taken: [file(pictureBytesMax)], sentBytes: 0, isWrong: true });
    expect(withPictures(noPictures, [file(pictureBytesMax)]).isWrong).toBe(false);
  });

  test("up to the number of a question, also when chosen in steps", () => {
    const full = withPictures(noPictures, many(picturesMax, 1));
    expect([full.taken.length, full.isWrong]).toEqual([picturesMax, false]);
    const over = withPictures(full, [file(1)]);
    expect([over.taken.length, over.isWrong]).toEqual([picturesMax, true]);
  });

  test("up to the bytes of a conversation, with what went before", () => {
    const sent = afterSending(withPictures(noPictures, many(2, pictureBytesMax)));
    expect(sent).toEqual({ taken: [], sentBytes: 2 * pictureBytesMax, isWrong: false });
    const rest = conversationPictureBytesMax - 2 * pictureBytesMax;
    expect(withPictures(sent, [file(rest - 1), file(1)]).isWrong).toBe(false);
    const over = withPictures(sent, [file(rest - 1), file(2), file(1)]);
    expect(over.taken).toEqual([file(rest - 1), file(1)]);
    expect(over.isWrong).toBe(true);
  });

  test("again in a new conversation, where those that wait stay", () => {
    const sent = { taken: [file(1)], sentBytes: conversationPictureBytesMax, isWrong: true };
    expect(inNewConversation(sent)).toEqual({ taken: [file(1)], sentBytes: 0, isWrong: false });
  });
});

test("one that is taken away leaves the others, also where it was chosen twice", () => {
  const chosen = withPictures(noPictures, [file(1, "a"), file(1, "a"), file(1, "b")]);
  expect(withoutPicture({ ...chosen, isWrong: true }, 1)).toEqual({
    ...{ taken: [file(1, "a"), file(1, "b")], sentBytes: 0, isWrong: false },
  });
});
