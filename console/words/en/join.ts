export const words = {
  title: "Join an organization",
  lead: "Somebody invited you. You keep your own organizations, and change between them in the menu.",
  as: (name: string) => `You are signed in as ${name}.`,
  join: "Join",
  noToken: "This link has no invitation in it",
  noTokenLead: "Copy the whole link that you were sent, with everything behind the #.",
};
