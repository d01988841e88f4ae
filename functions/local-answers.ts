import { routes } from "#shared/base/http/routes.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import type { TaskDeps } from "#shared/calls/tasks/deps.ts";

/**
 * The operations behind the route table's names. No call of a model needs them, so their code is loaded with the first
 * call of one of them. An operation rejects when its code cannot be loaded, and the next one tries again.
 */
export function localAnswers(deps: Deps & TaskDeps): LocalAnswers {
  let loaded: LocalAnswers | undefined;
  const load = async (): Promise<LocalAnswers> => {
    const { localOperations } = await import("./local-operations.ts");
    loaded ??= localOperations(deps);
    return loaded;
  };
  const answers = routes.flatMap(({ operation }): [string, LocalAnswers[keyof LocalAnswers]][] => {
    if (operation === "infer" || operation === "count" || operation === "page") return [];
    return [[operation, async (call) => await (loaded ?? (await load()))[operation](call)]];
  });
  return Object.fromEntries(answers) as LocalAnswers;
}
