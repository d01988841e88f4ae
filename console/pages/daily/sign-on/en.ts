export const words = {
  title: "Signing in",
  waits: "Your organization's provider has answered. This takes a moment.",
  refused: "Your organization's provider did not sign you in.",
  told: "It said",
  again: "Sign in again",
};
