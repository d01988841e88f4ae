/** The demo provider's one video: a file of 120 frames (media/README.md), played for as long as a task asked for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const sample = readFileSync(join(import.meta.dirname, "media", "sample.mp4"));

/** The frames of the file. */
const frames = 120;

/** Where the file says how long it is: which box, at which byte of its content, and of how many frames. */
const durations = [
  { box: "mvhd", at: 16, frames },
  { box: "tkhd", at: 20, frames },
  { box: "mdhd", at: 16, frames },
  { box: "stts", at: 12, frames: 1 },
];

/**
 * The video as an MP4 file that lasts as long as `framesAsked` frames at 24 a second. Its picture stays 864 × 480.
 * Throws `RangeError` on more than 35 million frames, which are 17 days.
 */
export function sampleVideo(framesAsked: number): Buffer {
  const file = Buffer.from(sample);
  for (const { box, at, frames } of durations) {
    // 120 frames of n ticks, at 2,880 ticks a second, last as long as n frames at 24 a second.
    file.writeUInt32BE(frames * framesAsked, file.indexOf(box, 0, "latin1") + box.length + at);
  }
  return file;
}
