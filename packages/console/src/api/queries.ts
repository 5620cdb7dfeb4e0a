import { PorticoError } from "@portico/client/PorticoError"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { refuse } from "../session/session.ts"

/** The client has asked for another token before, and the gateway had no better one. */
const onError = (error: unknown): void => {
  if (error instanceof PorticoError && error.code === "token_inactive") refuse()
}

/** The answers that pages show. The client repeats what may be repeated, so that nothing is repeated here. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: { staleTime: 10_000, retry: false, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" }
  }
})

/** `credentials` of `credentials.list`. */
export const groupOf = (operation: string): string => operation.split(".")[0] ?? operation

/** Asks again for what is on the screen of these groups. */
export const outdated = (groups: ReadonlyArray<string>): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [operation] }) => typeof operation === "string" && groups.includes(groupOf(operation))
  })
