/** Joins the orders of one moment into one request. A process that serves many calls then sends fewer requests. */

/** Runs an action at the end of the present moment. */
export type Tick = (act: () => void) => void;

/** The moment is a turn of the event loop. All that came in with the turn is read by its end. */
export const endOfTurn: Tick = (act) => {
  setImmediate(act);
};

/** Somebody who waits for an answer. */
export interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Joins the orders of a tick. `send` must resolve or reject every one of them, and must not throw. */
export function joining<Order, Answer>(
  send: (orders: (Order & Waiting<Answer>)[]) => void,
  tick: Tick,
): (order: Order) => Promise<Answer> {
  let waiting: (Order & Waiting<Answer>)[] = [];
  return (order) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...order, resolve, reject });
      if (waiting.length > 1) return;
      tick(() => {
        const orders = waiting;
        waiting = [];
        send(orders);
      });
    });
}
