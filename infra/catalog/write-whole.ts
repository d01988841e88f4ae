import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes a file whole or not at all. */
export function writeWhole(file: string, content: string): void {
  const scratch = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(scratch, content, { flag: "wx" });
    renameSync(scratch, file);
  } finally {
    rmSync(scratch, { force: true });
  }
}
