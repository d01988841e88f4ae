export const words = {
  lead: "Somebody invited you. You keep your own organizations, and change between them in the menu.",
  as: (name: string) => `You are signed in as ${name}.`,
  join: "Join",
  noToken: "There is nothing to join here",
  noTokenLead:
    "The invitation is used, withdrawn or over, or it is for another phone. Or a part of the link is missing: copy all of it, with everything behind the #.",
};
