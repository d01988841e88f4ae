/** Reads a secret value from standard input: a pipe to its end, or a line that a person types and that is not shown. */
import type { Terminal } from "./confirm.ts";

/** The value without space around it. Throws where a person gives up. */
export async function readSecretValue(question: string, terminal: Terminal): Promise<string> {
  const { input } = terminal;
  const text = input.isTTY ? await typed(question, terminal) : await whole(input);
  return text.trim();
}

async function whole(input: NodeJS.ReadStream): Promise<string> {
  let text = "";
  input.setEncoding("utf8");
  for await (const piece of input) text += String(piece);
  return text;
}

const [enter, newLine, endOfInput, interrupt, backspace, erase] = ["\r", "\n", "\x04", "\x03", "\x7f", "\b"];

/** A terminal that is not raw would show each character itself. */
async function typed(question: string, { input, output }: Terminal): Promise<string> {
  output.write(question);
  input.setEncoding("utf8");
  input.setRawMode?.(true);
  let text = "";
  try {
    for await (const piece of input.iterator({ destroyOnReturn: false })) {
      for (const character of String(piece)) {
        if (character === enter || character === newLine || character === endOfInput) return text;
        if (character === interrupt) throw new Error("nothing was changed");
        text = character === backspace || character === erase ? text.slice(0, -1) : text + character;
      }
    }
    return text;
  } finally {
    input.setRawMode?.(false);
    input.pause();
    output.write("\n");
  }
}
