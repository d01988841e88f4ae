/** A secret that is shown once: of a new key, or of one that was given another. */
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Secret } from "../../../parts/copy.tsx";
import { settings } from "../../../settings.ts";
import { page as docsPage } from "../docs/page.ts";

type Words = typeof import("./en.ts").words;

export function ShownSecret({
  words,
  secret,
  onClose,
}: {
  words: Words;
  secret: string;
  onClose: () => void;
}) {
  return (
    <div class="stack">
      <p>{words.secretLead}</p>
      <Secret text={secret} label={words.secret} />
      {settings.gateway_url && (
        <p>
          {words.baseUrl}: <code>{settings.gateway_url}</code>
        </p>
      )}
      <div class="row end">
        <ButtonLink look="quiet" href={docsPage.path}>
          {words.next}
        </ButtonLink>
        <Button look="main" onPress={onClose}>
          {words.close}
        </Button>
      </div>
    </div>
  );
}
