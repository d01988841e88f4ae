/** The answer of a streamed chat, piece by piece: events of `POST /v1/chat/completions`. */
import { asProblem, noAnswer, Problem } from "./problem.ts";

interface ChatPiece {
  text: string;
  /** What a model that thinks says before it answers. */
  reasoning: string;
}

interface Chunk {
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[];
  error?: { code?: number | string; message?: string };
}

/** Gives each piece to `onPiece`. Rejects with a `Problem` for an error in the stream, or where its end is missing. */
export async function readChat(
  body: ReadableStream<Uint8Array>,
  onPiece: (piece: ChatPiece) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data:")) continue;
        const data = line.slice("data:".length).trim();
        if (data === "[DONE]") return;
        take(data, onPiece);
      }
      if (done) throw new Problem("The stream broke off.", { code: noAnswer.unreadable });
    }
  } catch (error) {
    throw asProblem(error);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function take(data: string, onPiece: (piece: ChatPiece) => void): void {
  const { choices, error } = JSON.parse(data) as Chunk;
  if (error) throw new Problem(error.message ?? "", { code: Number(error.code) || 50000 });
  const delta = choices?.[0]?.delta;
  const piece = { text: delta?.content ?? "", reasoning: delta?.reasoning_content ?? "" };
  if (piece.text || piece.reasoning) onPiece(piece);
}
