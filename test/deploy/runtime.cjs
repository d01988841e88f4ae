/**
 * What Lambda's Node runtime has and the emulator's has not. Node loads this file before a function's bundle.
 *
 * The runtime finds a handler in a `.cjs` file, and `require` of a name without extension does not.
 *
 * A streaming handler is made with the global `awslambda`. Here its answer is kept until it is whole, and framed as a
 * function URL expects it: the prelude, eight zero bytes, the body. So no test here sees when a piece is sent.
 */
const { Writable } = require("node:stream");

require.extensions[".cjs"] = require.extensions[".js"];

class Outlet extends Writable {
  chunks = [];
  prelude = { statusCode: 200 };

  _write(chunk, _encoding, done) {
    this.chunks.push(chunk);
    done();
  }
}

/** Calls a streaming handler as AWS's runtime does, and gives its answer, framed. */
async function answer(handler, event, context) {
  const outlet = new Outlet();
  const closed = new Promise((resolve) => outlet.once("close", resolve));
  await handler(event, outlet, context);
  await closed;
  return `${JSON.stringify(outlet.prelude)}${"\0".repeat(8)}${Buffer.concat(outlet.chunks)}`;
}

globalThis.awslambda = {
  // The emulator calls with event and context. A handler within a handler is called with the outlet of the outer one.
  streamifyResponse: (handler) => (event, second, third) =>
    second instanceof Outlet ? handler(event, second, third) : answer(handler, event, second),
  HttpResponseStream: {
    from(outlet, prelude) {
      outlet.prelude = prelude;
      return outlet;
    },
  },
};
