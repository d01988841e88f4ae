/** What pages say beside their content: problems, warnings, and that there is nothing yet. */
import type { ComponentChildren } from "preact";
import { type Problem, told } from "../problem.ts";
import { frameWords } from "../words.ts";
import { Button, ButtonLink } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** What happened, what to do, and the request id. Of a reason without words here the server's own sentence is shown. */
export function ProblemNote({ problem, onAgain }: { problem: Problem | undefined; onAgain?: () => void }) {
  const words = frameWords.value;
  if (!problem) return <div role="alert" class="unseen" />;
  const [what, todos] = told(problem, words);
  return (
    <div role="alert" class="note bad">
      <Icon name="alert" />
      <div>
        <strong>{what}</strong>
        {todos.map((todo) => (
          <p key={todo}>{todo}</p>
        ))}
        {problem.requestId && (
          <p class="faint">
            {words.requestId} <code>{problem.requestId}</code>
          </p>
        )}
        {onAgain && (
          <Button look="plain" onPress={onAgain}>
            {words.again}
          </Button>
        )}
      </div>
    </div>
  );
}

interface NoteProps {
  look?: "info" | "warn" | "good";
  children: ComponentChildren;
}

export function Note({ look = "info", children }: NoteProps) {
  return (
    <div class={`note ${look}`}>
      <Icon name={look === "good" ? "check" : "alert"} />
      <div>{children}</div>
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
  /** It stands in the place of a whole page. */
  isPage?: boolean;
}

/** What a list says while it has nothing: what will be here, and what to do. */
export function Empty({ title, children, action, isPage = false }: EmptyProps) {
  return (
    <div class="empty">
      {isPage ? <h1 tabIndex={-1}>{title}</h1> : <h2>{title}</h2>}
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** What stands in the place of a page that is not there, or not for the reader. */
export function NoPage({ title, children }: { title: string; children: string }) {
  return (
    <Empty isPage title={title} action={<ButtonLink href="/">{frameWords.value.toOverview}</ButtonLink>}>
      {children}
    </Empty>
  );
}
