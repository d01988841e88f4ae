import type { ComponentChildren } from "preact";

/** A state in a word. The colour only repeats what the word says. */
export function Badge({
  look = "plain",
  children,
}: {
  look?: "plain" | "good" | "warn" | "bad";
  children: ComponentChildren;
}) {
  return <span class={`badge ${look}`}>{children}</span>;
}
