// What the bundles carry of the package undici, in a part that is loaded only where Node's own undici cannot be used. The
// whole package is twice as large.
exports.Agent = require("../../node_modules/undici/lib/dispatcher/agent.js");
