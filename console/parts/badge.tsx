import type { ComponentChildren } from "preact";

interface BadgeProps {
  look?: "plain" | "good" | "warn" | "bad";
  children: ComponentChildren;
}

/** A state in a word. The colour only repeats what the word says. */
export function Badge({ look = "plain", children }: BadgeProps) {
  return <span class={`badge ${look}`}>{children}</span>;
}
