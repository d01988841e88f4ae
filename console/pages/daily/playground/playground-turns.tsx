/** The turns so far: each question, and what each model answered, side by side. */
import type { ChatQuestion } from "../../../chat-turns.ts";
import type { Chat } from "../../../use-chat.ts";
import { Answer } from "./playground-answer.tsx";

type Words = typeof import("./en.ts").words;

interface TurnsProps {
  words: Words;
  asks: readonly ChatQuestion[];
  chats: readonly Chat[];
}

export function Turns({ words, asks, chats }: TurnsProps) {
  const models = new Set(chats.flatMap(({ turns }) => turns.map(({ answer }) => answer.model.id)));
  return (
    <>
      {asks.map((asked, at) => (
        <Turn
          key={at}
          words={words}
          asked={asked}
          number={at + 1}
          isLast={at === asks.length - 1}
          chats={chats}
          isNamed={models.size > 1}
        />
      ))}
    </>
  );
}

interface TurnProps extends Omit<TurnsProps, "asks"> {
  asked: ChatQuestion;
  number: number;
  isLast: boolean;
  /** Several models have answered in the conversation. */
  isNamed: boolean;
}

function Turn({ words, asked, number, isLast, chats, isNamed }: TurnProps) {
  const answers = chats.map(({ turns }) => turns.find((turn) => turn.asked === asked)?.answer);
  const isPair = answers.every((answer) => answer !== undefined);
  return (
    <>
      <div class="asked">
        <p class="answer">{asked.text}</p>
        {asked.pictures.length > 0 && (
          <div class="row pictures">
            {asked.pictures.map((url, at) => (
              <img key={at} src={url} alt={words.picture(at + 1)} />
            ))}
          </div>
        )}
      </div>
      <div class={isPair ? "pair" : "stack"}>
        {answers.map((state, at) => {
          const name = isNamed ? (state?.model.name ?? "") : "";
          const label = [words.answer, number > 1 ? number : "", name].filter(Boolean).join(" ");
          return (
            state && <Answer key={at} words={words} label={label} name={name} state={state} isLast={isLast} />
          );
        })}
      </div>
    </>
  );
}
