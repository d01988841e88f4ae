/** Told of each step, and of what goes wrong later. */
export interface Observer {
  /** What is done now. */
  begin(text: string): void;
  /** What has been done since `begin`. */
  done(text: string): void;
  /** Somebody who looks at this terminal may want to know it. */
  note(text: string): void;
  /** Something failed that is tried again. */
  warn(error: unknown): void;
  /** The gateway cannot go on. */
  lost(error: unknown): void;
}
