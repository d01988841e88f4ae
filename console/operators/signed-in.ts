/** Which operator is signed in, in this document alone, and what the operators' pages read. */

import type { AdminAnswer, AdminOperationOf, AdminPath } from "../../shared/edges/openapi/route-types.ts";
import type { AdminScope } from "../../shared/people/admin/token.ts";
import type { OperatorToken } from "../api-types.ts";
import { type Loading, useLoad } from "../load.ts";
import type { Problem } from "../problem.ts";
import { busy } from "../session.ts";
import { signal } from "../state.ts";
import { createOperatorClient } from "./client.ts";

/** Whose token it is, and what it opens. Undefined: nobody is signed in. */
export const operator = signal<OperatorToken | undefined>(undefined);
/** Why nobody is signed in any more, where it was not the reader's wish. */
export const tokenEnded = signal<Problem | undefined>(undefined);

/** How many writes this document has made. */
export const changes = signal(0);

export const operatorsApi = createOperatorClient({
  fetch: (input, init) => fetch(input, init),
  onBusy: (change) => {
    busy.value += change;
  },
  onEnded: (why) => {
    tokenEnded.value = why;
    operator.value = undefined;
  },
});

/** Signs in by the text of a token. Rejects with a `Problem` where it is not in force. */
export async function signInByToken(text: string): Promise<void> {
  const found = await operatorsApi.signIn(text);
  tokenEnded.value = undefined;
  operator.value = found;
}

/** Forgets the token. */
export function signOutOperator(): void {
  operatorsApi.signOut();
  operator.value = undefined;
}

/** Whether the reader's token has a scope. Every token may read. */
export function hasScope(scope: AdminScope): boolean {
  return scope === "read" || (operator.value?.scopes.split(",").includes(scope) ?? false);
}

/** Reads what an operation of operators answers at a path, and again whenever the path changes. */
export function useOperatorRead<By extends AdminOperationOf<"GET">>(
  path: AdminPath<By>,
): Loading<AdminAnswer<By>> {
  return useLoad((asked) => operatorsApi.get<By>(path, asked), path);
}

/** Reads a further page of a list. */
export function nextPage(path: string): Promise<unknown> {
  return operatorsApi.get(path as AdminPath<AdminOperationOf<"GET">>);
}
