import type { ComponentChildren } from "preact";
import type { AdminScope } from "../../shared/people/admin/token.ts";
import { hasScope } from "./signed-in.ts";
import { operatorWords } from "./words.ts";

interface NeedsProps {
  scope: AdminScope;
  /** What it takes the scope for. */
  act: string;
  children: ComponentChildren;
}

/**
 * What takes a scope. Who lacks it reads in its place which one it takes: a button that refuses says less, and one that is
 * missing nothing.
 */
export function Needs({ scope, act, children }: NeedsProps) {
  return hasScope(scope) ? children : <p class="faint">{operatorWords.value.needs(act, scope)}</p>;
}
