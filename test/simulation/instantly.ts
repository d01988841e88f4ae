/**
 * Compression without a thread, to be imported before the product: what another thread does takes time
 * that no seed decides.
 */
import { syncBuiltinESMExports } from "node:module";
import zlib, { type BrotliOptions, type InputType } from "node:zlib";

type Callback = (error: Error | null, result: Buffer) => void;

const at = (act: (bytes: InputType, options?: BrotliOptions) => Buffer) =>
  ((bytes: InputType, options: BrotliOptions | Callback, callback?: Callback) => {
    const [wanted, done] = callback ? [options as BrotliOptions, callback] : [{}, options as Callback];
    try {
      done(null, act(bytes, wanted));
    } catch (error) {
      done(error as Error, Buffer.alloc(0));
    }
  }) as never;

zlib.brotliCompress = at(zlib.brotliCompressSync);
zlib.brotliDecompress = at(zlib.brotliDecompressSync);
syncBuiltinESMExports();
