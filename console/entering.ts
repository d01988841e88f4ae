/** How somebody who has proved a contact gets in, and what becomes of the invitation in the address. */
import type { SignedIn } from "./api-types.ts";
import type { TypedContact } from "./contacts.ts";
import { page as joinPage } from "./pages/daily/join/page.ts";
import { page as overviewPage } from "./pages/first/overview/page.ts";
import { Problem } from "./problem.ts";
import { go, place } from "./router.ts";
import { api, begin } from "./session.ts";

/** The token of an invitation stands behind `#`, so no server and no log gets it. */
export const invitation = (): string | undefined =>
  (place.value?.page === joinPage && location.hash.slice(1)) || undefined;

/** Begins the session. Its invitation is used up, or good for nothing: it leaves the address, so that nobody joins by it. */
export async function enter(tokens: SignedIn): Promise<void> {
  if (invitation()) go(tokens.invitation_accepted ? overviewPage.path : joinPage.path, { replace: true });
  await begin(tokens);
}

/** Signs in. Gives `new` where the contact has no account: then the same code makes one. */
export async function signIn(contact: TypedContact, code: string): Promise<"done" | "new"> {
  try {
    const token = invitation();
    const body = { ...contact, code, ...(token && { invitation: token }) };
    await enter(await api.post<"sign_in">("/api/v1/auth/sign-in", body));
    return "done";
  } catch (error) {
    if (error instanceof Problem && error.code === 40113) return "new";
    throw error;
  }
}
