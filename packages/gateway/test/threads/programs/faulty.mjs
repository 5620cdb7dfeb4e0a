import { existsSync } from "node:fs"
import { Server } from "node:http"
import { isMainThread } from "node:worker_threads"

// Loaded into a gateway before its program (`node --import`): in a thread, a request to the router can break it. The
// header `x-fault` says how; a blocked one turns again when the file UNBLOCKED is there. It also says in the log where
// threads listen.
const faults = {
  crash: () =>
    void setImmediate(() => {
      throw new Error("a bug of this thread")
    }),
  block: () => {
    while (!existsSync(process.env.UNBLOCKED));
  }
}

if (!isMainThread) {
  const { emit } = Server.prototype
  Server.prototype.emit = function (event, ...args) {
    if (event === "listening") process.stderr.write(`a thread listens on ${this.address().port}\n`)
    if (event === "request") faults[args[0].headers["x-fault"]]?.()
    return emit.call(this, event, ...args)
  }
  // A port that somebody else took in the meantime.
  if (process.env.DEAF === "yes") {
    Server.prototype.listen = function () {
      setImmediate(() => this.emit("error", new Error("listen EADDRINUSE: address already in use")))
      return this
    }
  }
}
