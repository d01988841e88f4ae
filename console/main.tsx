/** The start in the browser: language, who is signed in, and then the page or the sign-in. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Frame } from "./frame.tsx";
import { page as signOnPage } from "./pages/daily/sign-on/page.ts";
import { Button } from "./parts/button.tsx";
import { Empty, ProblemNote } from "./parts/note.tsx";
import { PageSlot } from "./parts/page-slot.tsx";
import { asProblem, type Problem } from "./problem.ts";
import { place, startRouter } from "./router.ts";
import { account, busy, restore } from "./session.ts";
import { onChange } from "./state.ts";
import { showTheme, theme } from "./theme.ts";
import { frameWords, preferredLocale, showLocale } from "./words.ts";

/** The operators' pages have a sign-in of their own: its token and the session of a customer never meet in a document. */
const isOperators = /^\/operators\b/.test(location.pathname);
/** It has no path of its own: whoever has no session gets it in the place of any page. On the operators' pages nobody has one. */
const signIn = isOperators
  ? ({ group: "operators", name: "frame" } as const)
  : ({ group: "first", name: "sign-in" } as const);

function App() {
  const [problem, setProblem] = useState<Problem>();
  const begin = () => {
    setProblem(undefined);
    if (isOperators) account.value = null;
    else restore().catch((error: unknown) => setProblem(asProblem(error)));
  };
  useEffect(begin, []);
  // Whatever changes of what all pages show draws them anew.
  const [, draw] = useState({});
  useEffect(() => onChange(() => draw({})), []);
  if (problem) return <Unreachable problem={problem} onAgain={begin} />;
  if (account.value === undefined)
    return <div class="splash" role="status" aria-label={frameWords.value.loading} />;
  const at = place.value;
  return (
    <>
      <div class={`waiting${busy.value > 0 ? " on" : ""}`} aria-hidden="true" />
      {at?.page === signOnPage ? (
        <PageSlot {...at} />
      ) : account.value ? (
        <Frame />
      ) : (
        <PageSlot {...signIn} rest={at?.rest ?? ""} />
      )}
    </>
  );
}

function Unreachable({ problem, onAgain }: { problem: Problem; onAgain: () => void }) {
  const words = frameWords.value;
  return (
    <main class="alone">
      <Empty
        isPage
        title={problem.status > 0 && problem.status < 500 ? words.failed : words.unreachable}
        action={
          <Button look="main" onPress={onAgain}>
            {words.again}
          </Button>
        }
      />
      <ProblemNote problem={problem} />
    </main>
  );
}

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
showTheme(theme.value);
startRouter();
// No await here: the words import this file's code (infra/bundles/console-assets.ts), so they would wait for
// themselves.
void showLocale(preferredLocale()).then(() => render(<App />, root));
