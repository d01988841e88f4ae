/** Where the bundles lie in an assembly. */

/** The bundle of the gateway on the thread of the stand-ins (one-thread.ts). */
export const oneThread = "one-thread";

/** The folder of a bundle. `bundlesWithCatalog` finds them all by the beginning of their names. */
export const folderOf = (name: string) => `asset.${name}`;
