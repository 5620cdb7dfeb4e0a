import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import tls from "node:tls"
import { CliFailure } from "../CliFailure.ts"
import { problemOf } from "./files.ts"

// NODE_EXTRA_CA_CERTS does the same from outside, and needs nothing here.

const dispatcher = Symbol.for("undici.globalDispatcher.1")

/** Of a Node without a way to set authorities: the agent of its own `fetch`, made anew with them. */
const replaceAgent = async (authorities: ReadonlyArray<string>): Promise<boolean> => {
  // The first call makes the agent.
  await fetch("data:,")
  const agent: unknown = Reflect.get(globalThis, dispatcher)
  if (typeof agent !== "object" || agent === null) return false
  const { constructor } = agent
  return Reflect.set(globalThis, dispatcher, Reflect.construct(constructor, [{ connect: { ca: authorities } }]))
}

/** Trusts the authorities of a PEM file beside those of Node, in all requests of this process. */
export const trust = Effect.fnUntraced(function* (file: string) {
  const failed = (reason: string) =>
    new CliFailure({ exit: "usage", message: `The authorities in ${file} cannot be used: ${reason}` })
  const pem = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => failed(problemOf(file, cause).reason)
  })
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) return yield* failed("it has no certificate in PEM form")
  const set: unknown = Reflect.get(tls, "setDefaultCACertificates")
  const trusted = yield* Effect.tryPromise({
    try: async () => {
      if (typeof set !== "function") return replaceAgent([...tls.rootCertificates, pem])
      const known: unknown = Reflect.apply(Reflect.get(tls, "getCACertificates"), tls, ["default"])
      Reflect.apply(set, tls, [[...(Array.isArray(known) ? known : []), pem]])
      return true
    },
    catch: (cause) => failed(cause instanceof Error ? cause.message : String(cause))
  })
  if (!trusted) return yield* failed("this release of Node takes them from NODE_EXTRA_CA_CERTS alone")
})
