import { isObject } from "@portico/contract/isObject"
import type { Input } from "./request.ts"
import type { CallOptions } from "./types.ts"

/** The field of a page that leads to the next one, and the parameter that takes it. */
const links = { next_cursor: "cursor", next_continuation_token: "continuation_token" } as const

/** Undefined behind the last page. A page may be empty and have a next one. */
const nextOf = (page: unknown): Input | undefined => {
  if (!isObject(page)) return undefined
  for (const [field, parameter] of Object.entries(links)) {
    const next = page[field]
    if (typeof next === "string") return { [parameter]: next }
  }
  return undefined
}

export async function* pages(
  ask: (input: Input, options: CallOptions) => Promise<unknown>,
  input: Input,
  options: CallOptions
): AsyncGenerator<unknown, void> {
  let next: Input | undefined = {}
  while (next !== undefined) {
    const page: unknown = await ask({ ...input, ...next }, options)
    yield page
    next = nextOf(page)
  }
}

export async function* rows(of: AsyncIterable<unknown>, field: string): AsyncGenerator<unknown, void> {
  for await (const page of of) {
    const found = isObject(page) ? page[field] : undefined
    if (Array.isArray(found)) yield* found
  }
}
