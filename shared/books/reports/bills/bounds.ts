/** What a vendor's bill may have at most, units last in the name. */
export const billBounds = {
  fileBytesMax: 64 << 20,
  linesMax: 200_000,
  /** Problems of a file that are told at once. */
  problemsMax: 20,
  nameCharsMax: 200,
  /** Lines of one stored item: DynamoDB takes 400 KB, and a line is about 300 bytes with the longest names. */
  linesPerItemMax: 300,
  /** Decimals of a cost. Vendors write doubles, whose digits go far. */
  costPlaces: 24,
} as const;
