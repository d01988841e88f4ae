/** Asks before what cannot be undone. Only a person at a terminal is ever asked: scripts run as they always did. */
import { createInterface } from "node:readline/promises";

/** Where the question is asked and answered. */
export interface Terminal {
  input: NodeJS.ReadStream;
  /** The question is no output of the command, so it goes to standard error. */
  output: NodeJS.WriteStream;
}

/** Whether a person can be asked here. */
export function canAsk({ input, output }: Terminal, asked: { yes: boolean; json: boolean }): boolean {
  return input.isTTY === true && output.isTTY === true && !asked.yes && !asked.json;
}

/** Says what will happen for good and waits for `y` or `yes`. Anything else, and the end of the input, is a no. */
export async function confirm(sentence: string, { input, output }: Terminal): Promise<boolean> {
  const reader = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([reader.question(`${sentence}\nGo on? [y/N] `), ended]);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
