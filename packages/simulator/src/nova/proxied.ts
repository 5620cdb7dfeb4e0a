import type { Handler } from "../Wire.ts"
import { type Answering, computeRoute, memberRoute } from "./asked.ts"
import { notFound } from "./fault.ts"

/** A call that exists up to a microversion; a client that names none has the first one. */
export const until =
  (last: number, handler: Answering): Answering =>
  (asked) =>
    asked.minor <= last ? handler(asked) : notFound("The resource could not be found.")

/** The last microversion at which Nova passes on what other services do. */
export const lastProxy = 35

export const proxyRead = (handler: Answering): Handler => computeRoute(until(lastProxy, handler))

export const proxyWrite = (rule: string, handler: Answering): Handler => memberRoute(rule, until(lastProxy, handler))
