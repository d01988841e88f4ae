/** What a vendor's bill may have at most, units last in the name. */
export const billBounds = {
  fileBytesMax: 64 << 20,
  linesMax: 200_000,
  /** Problems of a file that are told at once. */
  problemsMax: 20,
  nameCharsMax: 200,
  /** From the first day to the last. OpenAI's API gives 180 days at once. */
  daysMax: 190,
  /** Characters of a file that a message quotes. */
  shownCharsMax: 60,
  /** Lines of one stored item, and their bytes. DynamoDB takes 400 KB, and a line with the longest names has some 3 KB. */
  linesPerItemMax: 300,
  partBytesMax: 300_000,
  /** Decimals of a cost. Vendors write doubles, whose digits go far. */
  costPlaces: 24,
} as const;
