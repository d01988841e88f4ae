/** What an invitation's link opens for somebody who is signed in. The token stands behind `#`. */

import { useState } from "preact/hooks";
import { callName } from "../../../contacts.ts";
import { useAction } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { NoPage, ProblemNote } from "../../../parts/note.tsx";
import { Sheet } from "../../../parts/sheet.tsx";
import { go } from "../../../router.ts";
import { account, api, switchOrganization } from "../../../session.ts";
import { page as overviewPage } from "../../first/overview/page.ts";

export function Page({ words }: PageProps<typeof import("./en.ts").words>) {
  const [token] = useState(() => location.hash.slice(1));
  const { run, isRunning, problem } = useAction();
  const user = account.value?.user;
  const join = async () => {
    const joined = await run(async () => {
      const answer = await api.post<"accept_invitation">("/api/v1/invitations/accept", { token });
      await switchOrganization(answer.organization.id);
      return answer;
    });
    if (joined) go(overviewPage.path, { replace: true });
  };
  if (!token || problem?.code === 40400) return <NoPage title={words.noToken}>{words.noTokenLead}</NoPage>;
  return (
    <Sheet lead={words.lead}>
      <div class="card narrow">
        <p>{words.as(user ? callName(user) : "…")}</p>
        <ProblemNote problem={problem} />
        <div class="row">
          <Button look="main" isBusy={isRunning} onPress={join}>
            {words.join}
          </Button>
        </div>
      </div>
    </Sheet>
  );
}
