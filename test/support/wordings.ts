/** One question in hundreds of wordings, for tests that need a new one for each call. */

export const firstWording = "How do I delete a layer in Photoshop?";

const openings = ["", ...["", "please ", "kindly "].flatMap((word) => tellMe(word))];
function tellMe(word: string): string[] {
  return ["Could", "Can", "Would"].map((can) => `${can} you ${word}tell me `);
}

/** Ways to ask how a layer is deleted. None is another's canonical form, and no rule refuses any. */
export function* wordings(): Generator<string> {
  for (const opening of openings)
    for (const verb of ["can", "could", "would"])
      for (const who of ["I", "you", "we"])
        for (const article of ["a", "the"])
          for (const other of ["", "the "]) {
            const how = opening === "" ? "How" : `${opening}how`;
            yield `${how} ${verb} ${who} delete ${article} layer in ${other}Photoshop?`;
          }
}
