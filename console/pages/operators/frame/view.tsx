/** What stands around the pages of the people who run the gateway: their sign-in, and then navigation and a page. */
import { found } from "found:operators/page";
import { useEffect } from "preact/hooks";
import { minute } from "../../../format.ts";
import { operator, signOutOperator } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import type { PageProps } from "../../../page.ts";
import { listed, pages } from "../../../pages.ts";
import { Preferences, WhoMenu } from "../../../parts/account-menu.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Empty } from "../../../parts/note.tsx";
import { PageSlot } from "../../../parts/page-slot.tsx";
import { Shell } from "../../../parts/shell.tsx";
import { place } from "../../../router.ts";
import { frameWords } from "../../../words.ts";
import { page as waitingPage } from "../waiting/page.ts";
import { TokenSignIn } from "./token-sign-in.tsx";

type Words = typeof import("./en.ts").words;

// This file is loaded only where the document is the operators'. A link to a page of customers loads a document of theirs.
// `/operators` begins the paths of all others, so it comes last.
pages.value = listed("operators", found).toSorted(
  (one, other) => other.page.path.length - one.page.path.length,
);

export function Page({ words }: PageProps<Words>) {
  operatorWords.value = words;
  // The frame's words come anew with each choice of a language.
  useEffect(() => {
    const { product, problems } = frameWords.value;
    if (product === words.over.product) return;
    frameWords.value = { ...frameWords.value, ...words.over, problems: { ...problems, ...words.problems } };
  });
  if (!operator.value) return <TokenSignIn words={words} />;
  const at = place.value;
  return (
    <Shell home={waitingPage.path} groups={words.groups} menu={<Who words={words} />}>
      {at ? (
        <PageSlot {...at} />
      ) : (
        <Empty
          isPage
          title={words.notFound}
          action={<ButtonLink href={waitingPage.path}>{words.toWork}</ButtonLink>}
        />
      )}
    </Shell>
  );
}

function Who({ words }: { words: Words }) {
  if (!operator.value) return null;
  const { name, person, ends_at } = operator.value;
  const scopes = operator.value.scopes.replaceAll(",", ", ");
  return (
    <WhoMenu name={name} about={scopes}>
      <FactList
        facts={[
          [words.person, person],
          [words.scopes, scopes],
          [words.until, minute(ends_at)],
        ]}
      />
      <Preferences />
      <Button onPress={signOutOperator}>{words.out}</Button>
    </WhoMenu>
  );
}
