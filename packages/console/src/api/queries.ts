import { QueryClient } from "@tanstack/react-query"

/** The answers that pages show. The client repeats what may be repeated, so that nothing is repeated here. */
export const queries = new QueryClient({
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
