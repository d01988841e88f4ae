/** The page that an identity provider leads back to: it takes code and state out of the address, and signs in. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { ButtonLink } from "../../../parts/button.tsx";
import { Progress } from "../../../parts/loaded.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { go } from "../../../router.ts";
import { api, begin } from "../../../session.ts";
import { page as overviewPage } from "../../first/overview/page.ts";
import { page } from "./page.ts";

export function Page({ words, rest: organization }: PageProps<typeof import("./en.ts").words>) {
  const [answer] = useState(() => new URLSearchParams(location.search));
  const hasBegun = useRef(false);
  const { run, problem } = useAction();
  const refusal = answer.get("error") ?? (answer.get("code") ? undefined : "");
  useEffect(() => {
    if (hasBegun.current || refusal !== undefined) return;
    hasBegun.current = true;
    // The code leaves the address before anything else is loaded.
    go(`${page.path}/${organization}`, { replace: true });
    const [code = "", state = "", iss] = ["code", "state", "iss"].map(
      (name) => answer.get(name) ?? undefined,
    );
    void run(async () => {
      const body = { organization, code, state, ...(iss !== undefined && { iss }) };
      await begin(await api.post<"finish_sign_on">("/api/v1/auth/sign-on/finish", body));
      go(overviewPage.path, { replace: true });
    });
  }, []);
  const hasFailed = problem !== undefined || refusal !== undefined;
  return (
    <main class="alone" id="content">
      <div class="card sign-in">
        <h1 tabIndex={-1}>{words.title}</h1>
        {!hasFailed && <p class="lead">{words.waits}</p>}
        {!hasFailed && <Progress lines={2} />}
        {refusal !== undefined && (
          <Note look="warn">
            {words.refused}
            {refusal && (
              <p>
                {words.told} <code>{refusal.slice(0, 100)}</code>
              </p>
            )}
          </Note>
        )}
        <ProblemNote problem={problem} />
        {hasFailed && (
          <ButtonLink look="main" href={overviewPage.path}>
            {words.again}
          </ButtonLink>
        )}
      </div>
    </main>
  );
}
