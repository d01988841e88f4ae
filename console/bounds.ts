/** The bounds of what a page takes from a person, where the server does not say them. */
export const consoleBounds = {
  /** The most pictures of a question in the playground, and the most bytes of one. */
  picturesMax: 4,
  pictureBytesMax: 1_000_000,
  /** The most bytes of all pictures of a conversation. Base64 makes them a third larger, and each call sends them all. */
  conversationPictureBytesMax: 3_000_000,
} as const;
