/** The pictures of a turn: chosen from files, shown small, and taken away again. */
import { useId, useRef, useState } from "preact/hooks";
import { consoleBounds } from "../../../bounds.ts";
import {
  afterSending,
  inNewConversation,
  noPictures,
  type PictureFile,
  withoutPicture,
  withPictures,
} from "../../../chosen-pictures.ts";
import { Button } from "../../../parts/button.tsx";

type Words = typeof import("./en.ts").words;

const { picturesMax, pictureBytesMax, conversationPictureBytesMax } = consoleBounds;
const megabyte = 1_000_000;

/** A picture with its address; undefined for a file that is too large. Rejects where it cannot be read. */
async function readPicture(file: File): Promise<PictureFile | undefined> {
  if (file.size > pictureBytesMax) return undefined;
  const reader = new FileReader();
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
  });
  reader.readAsDataURL(file);
  return { url: await read, bytes: file.size };
}

/** The pictures that go with the next question. */
export function usePictures() {
  const [pictures, setPictures] = useState(noPictures);
  const add = async (files: readonly File[]) => {
    const read = await Promise.all(files.map((file) => readPicture(file).catch(() => undefined)));
    setPictures((before) => withPictures(before, read));
  };
  const { taken, isWrong } = pictures;
  return {
    taken: taken.map(({ url }) => url),
    isWrong,
    add,
    remove: (at: number) => setPictures((before) => withoutPicture(before, at)),
    /** They went with a question. */
    sent: () => setPictures(afterSending),
    beginAnew: () => setPictures(inNewConversation),
  };
}

interface PicturesProps {
  words: Words;
  of: ReturnType<typeof usePictures>;
}

export function Pictures({ words, of: { taken, isWrong, add, remove } }: PicturesProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="field">
      <label for={id}>{words.pictures}</label>
      <input
        ref={input}
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        multiple
        aria-describedby={isWrong ? `${id}-wrong` : undefined}
        onChange={(event) => {
          const { currentTarget } = event;
          void add([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
      <p class="wrong" id={`${id}-wrong`} aria-live="polite">
        {isWrong &&
          words.picturesWrong(
            picturesMax,
            pictureBytesMax / megabyte,
            conversationPictureBytesMax / megabyte,
          )}
      </p>
      {taken.length > 0 && (
        <ul class="row pictures">
          {taken.map((url, at) => (
            <li key={at} class="row">
              <img src={url} alt={words.picture(at + 1)} />
              <Button
                look="quiet"
                isSmall
                label={words.removePicture(at + 1)}
                onPress={() => {
                  remove(at);
                  // The next picture takes this place and keeps the focus. After the last one there is none.
                  if (at === taken.length - 1) input.current?.focus();
                }}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
