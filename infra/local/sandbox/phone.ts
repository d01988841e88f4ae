/** The phone of the demo account. No phone of the mainland has this number. */
export const demoPhone = "+8613800000000";
