/** What Stripe does not know: a wrong id, another account, or what was deleted. */
import { Stripe } from "stripe";

/** An answer of Stripe; undefined where it says that there is no such thing. */
export async function orNone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing")
      return undefined;
    throw error;
  }
}
