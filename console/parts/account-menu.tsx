import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { callName } from "../contacts.ts";
import { useAction } from "../load.ts";
import { account, signOut, switchOrganization, waiting } from "../session.ts";
import { showTheme, theme, themes } from "../theme.ts";
import { frameWords, type Locale, loadIn, locale, localeNames, locales, showLocale } from "../words.ts";
import { Button } from "./button.tsx";
import { Choice, Select } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { ProblemNote } from "./note.tsx";

/** Who is signed in and for which organization; language, appearance and the way out. */
export function AccountMenu() {
  const who = account.value;
  if (!who) return null;
  return (
    <WhoMenu name={callName(who.user)} about={who.organization.name}>
      <Organizations />
      <Preferences />
      <Out />
    </WhoMenu>
  );
}

interface WhoMenuProps {
  name: string;
  /** Stands below the name. */
  about: string;
  children: ComponentChildren;
}

/** A popover behind the name of who is signed in. */
export function WhoMenu({ name, about, children }: WhoMenuProps) {
  return (
    <div class="account">
      <button type="button" class="account-button" popovertarget="account-menu">
        <span class="initial" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
        <span class="names">
          <span>{name}</span>
          <span class="faint">{about}</span>
        </span>
        <span class="unseen">{frameWords.value.account}</span>
        <Icon name="down" />
      </button>
      <div id="account-menu" popover="auto" class="popover">
        {children}
      </div>
    </div>
  );
}

function Organizations() {
  const words = frameWords.value;
  const who = account.value;
  const { run, problem } = useAction();
  if (!who || who.organizations.length < 2) return null;
  return (
    <>
      <Select
        label={words.organization}
        value={who.organization.id}
        options={who.organizations.map(
          ({ id, name, role }) => [id, `${name} · ${words.roles[role]}`] as const,
        )}
        onValue={(id) => run(() => switchOrganization(id))}
      />
      <ProblemNote problem={problem} />
    </>
  );
}

/** Language and appearance. They are kept in this browser. */
export function Preferences() {
  const words = frameWords.value;
  const { run, isRunning, problem } = useAction();
  const [wanted, setWanted] = useState<Locale>(locale.value);
  const show = (value: Locale) => {
    setWanted(value);
    void run(() => waiting(() => showLocale(value)));
  };
  return (
    <>
      <Choice
        label={words.language}
        value={isRunning ? wanted : locale.value}
        options={locales.map((value) => ({ value, name: <span lang={value}>{localeNames[value]}</span> }))}
        onValue={show}
      />
      <ProblemNote problem={problem} onAgain={() => loadIn(wanted)} />
      <Choice
        label={words.theme}
        value={theme.value}
        options={themes.map((value) => ({ value, name: words.themes[value] }))}
        onValue={showTheme}
      />
    </>
  );
}

function Out() {
  const { run, isRunning, problem } = useAction();
  return (
    <>
      <Button isBusy={isRunning} onPress={() => run(signOut)}>
        {frameWords.value.signOut}
      </Button>
      <ProblemNote problem={problem} />
    </>
  );
}
