/** What admission and metering must know of a chat call, whichever protocol it came in. */
export interface ChatCall {
  stream: boolean;
  /** The client's own maximum, or null. */
  max_output_tokens: number | null;
  /** Answers asked for (`n`). */
  choices: number;
  user: string | null;
  /** The client said `include_usage: false`: we ask the provider all the same, and keep the chunk to ourselves. */
  hide_usage: boolean;
}
