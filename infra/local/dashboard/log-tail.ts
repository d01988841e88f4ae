/** Follows the log file of the local gateway. Nothing is read until somebody asks. */
import { type FileHandle, open, stat } from "node:fs/promises";
import { setImmediate as breathe } from "node:timers/promises";
import { logFiles } from "../stack/log-file.ts";

/** So much is read at a time. Calls are served in between. */
const pieceBytes = 256 * 1024;

export class LogTail {
  readonly #files: [before: string, now: string];
  readonly #onLine: (line: string) => void;
  #open: { handle: FileHandle; inode: number; at: number } | undefined;
  #reading: Promise<void> | undefined;

  /** `onLine` is told each line once, the older ones first. */
  constructor(file: string, onLine: (line: string) => void) {
    this.#files = logFiles(file);
    this.#onLine = onLine;
  }

  /** Reads what was written since the last time. Those who ask at the same time share one reading. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async close(): Promise<void> {
    await this.#reading?.catch(() => {});
    await this.#open?.handle.close();
    this.#open = undefined;
  }

  async #read(): Promise<void> {
    const [before, now] = this.#files;
    if (!this.#open) {
      await this.#follow(before);
      await this.#follow(now);
      return;
    }
    await this.#readOn();
    // After a rotation another file has the name. The one that was open had all lines before it.
    const inode = await inodeOf(now);
    if (inode !== undefined && inode !== this.#open.inode) await this.#follow(now);
  }

  async #follow(file: string): Promise<void> {
    const inode = await inodeOf(file);
    if (inode === undefined) return;
    await this.#open?.handle.close();
    this.#open = { handle: await open(file, "r"), inode, at: 0 };
    await this.#readOn();
  }

  async #readOn(): Promise<void> {
    const reading = this.#open;
    if (!reading) return;
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      const { bytesRead } = await reading.handle.read(piece, 0, pieceBytes, reading.at);
      if (bytesRead === 0) return;
      // A line that is not whole is read again with its end, so no character is ever cut in two.
      const end = piece.lastIndexOf("\n", bytesRead - 1) + 1;
      if (end === 0 && bytesRead < pieceBytes) return;
      reading.at += end === 0 ? bytesRead : end;
      for (const line of piece.toString("utf8", 0, end).split("\n")) if (line !== "") this.#onLine(line);
      await breathe();
    }
  }
}

async function inodeOf(file: string): Promise<number | undefined> {
  return await stat(file).then(
    ({ ino }) => ino,
    () => undefined,
  );
}
