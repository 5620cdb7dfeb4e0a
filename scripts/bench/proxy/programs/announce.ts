import type { Server } from "node:http"

/** Listens on a free port of the loopback, and says which in one line. */
export const announced = (server: Server): void => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
  })
}
