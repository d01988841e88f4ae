/** What stands around every page of a customer: navigation, the account's menu, and the note of what is read. */
import { useEffect } from "preact/hooks";
import { AccountMenu } from "./parts/account-menu.tsx";
import { NoPage, Note } from "./parts/note.tsx";
import { PageSlot } from "./parts/page-slot.tsx";
import { Shell } from "./parts/shell.tsx";
import { place } from "./router.ts";
import { account, may, watchAccount } from "./session.ts";
import { frameWords } from "./words.ts";

/** The console of somebody who is signed in. */
export function Frame() {
  const words = frameWords.value;
  const at = place.value;
  useEffect(watchAccount, []);
  return (
    <Shell home="/" groups={words.groups} menu={<AccountMenu />}>
      {account.value?.organization.status === "frozen" && <Note look="warn">{words.frozen}</Note>}
      {at ? may(at.page.right) ? <PageSlot {...at} /> : <NoRight /> : <NotFound />}
    </Shell>
  );
}

function NotFound() {
  const words = frameWords.value;
  return <NoPage title={words.notFound}>{words.notFoundLead}</NoPage>;
}

function NoRight() {
  const words = frameWords.value;
  const role = account.value?.role ?? "member";
  return <NoPage title={words.noRight}>{words.noRightLead(words.roles[role])}</NoPage>;
}
