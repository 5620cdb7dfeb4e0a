import { Context, Layer } from "effect"

/** A plane whose address another plane of the process shows. */
type Announced = "agent" | "customer"

/** A client cannot connect to a wildcard: a server only listens on it. */
const isWildcard = (url: string): boolean => ["0.0.0.0", "[::]"].includes(new URL(url).hostname)

/**
 * Where planes of this process listen. The customer plane's metadata shows the agent plane, and the answers of tools
 * show the customer plane. The service is below the planes: they start side by side, so that each of them can answer
 * before the other one listens.
 */
export class ListeningPlanes extends Context.Service<
  ListeningPlanes,
  {
    /** Records the address of a plane that listens now. An address that clients cannot use is not recorded. */
    listens(plane: Announced, url: string): void
    /** The recorded address, without a trailing slash; of the agent plane, its MCP endpoint. Undefined without one. */
    urlOf(plane: Announced): string | undefined
  }
>()("portico/gateway/discovery/ListeningPlanes") {
  static readonly layer = Layer.sync(ListeningPlanes, () => {
    const urls = new Map<Announced, string>()
    return ListeningPlanes.of({
      listens: (plane, url) => {
        if (!isWildcard(url)) urls.set(plane, url)
      },
      urlOf: (plane) => urls.get(plane)
    })
  })
}
