import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import tls from "node:tls"
import { CliFailure } from "../CliFailure.ts"
import { problemOf } from "./files.ts"
import { type Proxies, proxiesFor } from "./proxies.ts"

// NODE_EXTRA_CA_CERTS and NODE_USE_ENV_PROXY do the same from outside, the second on newer Nodes alone.

/** Where Node's own `fetch` has its agent, until it has functions to set what the agent does. */
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

const unusable = (file: string, reason: string) =>
  new CliFailure({ exit: "usage", message: `The authorities in ${file} cannot be used: ${reason}` })

const pemOf = Effect.fnUntraced(function* (file: string) {
  const pem = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => unusable(file, problemOf(file, cause).reason)
  })
  return pem.includes("-----BEGIN CERTIFICATE-----") ? pem : yield* unusable(file, "it has no certificate in PEM form")
})

/** Node's own function of this name; undefined in a release without it. */
const own = (module: object, name: string) => {
  const found: unknown = Reflect.get(module, name)
  return typeof found === "function"
    ? (...given: ReadonlyArray<unknown>) => Reflect.apply(found, module, given)
    : undefined
}

/** Beside those of Node. Returns all of them where this Node has no way to set them. */
const trust = (pem: string): ReadonlyArray<string> | undefined => {
  const set = own(tls, "setDefaultCACertificates")
  if (set === undefined) return [...tls.rootCertificates, pem]
  const known: unknown = own(tls, "getCACertificates")?.("default")
  set([...(Array.isArray(known) ? known : []), pem])
  return undefined
}

/** Node's own `fetch` takes the library's agent where it has no way to set proxies itself. */
const goThrough = async ({ except, http, https }: Proxies, authorities: ReadonlyArray<string> | undefined) => {
  const set = own((await import("node:http")).default, "setGlobalProxyFromEnv")
  if (set !== undefined) {
    set({ http_proxy: http ?? "", https_proxy: https ?? "", no_proxy: except })
    return
  }
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import("undici")
  const ca = authorities === undefined ? {} : { ca: [...authorities] }
  const agent = new EnvHttpProxyAgent({
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: except,
    connect: ca,
    requestTls: ca,
    proxyTls: ca
  })
  setGlobalDispatcher(agent)
}

/**
 * Before the first request of this process: trusts the authorities of a PEM file beside those of Node, and goes through
 * the proxies of the environment to the gateway of this address, and to what it names. Fails with what is wrong with either, and the exit code of a usage error.
 */
export const prepareConnections = Effect.fnUntraced(function* (url: string, caFile: string | undefined) {
  const proxies = yield* proxiesFor(url)
  const pem = caFile === undefined ? undefined : yield* pemOf(caFile)
  if (pem === undefined && proxies === undefined) return
  const failed = (cause: unknown) =>
    new CliFailure({ exit: "usage", message: `Connections cannot be prepared: ${String(cause)}` })
  const authorities =
    pem === undefined
      ? undefined
      : yield* Effect.try({
          try: () => trust(pem),
          catch: (cause) => unusable(caFile ?? "", cause instanceof Error ? cause.message : String(cause))
        })
  if (proxies !== undefined) {
    yield* Effect.tryPromise({ try: () => goThrough(proxies, authorities), catch: failed })
  } else if (authorities !== undefined) {
    const done = yield* Effect.tryPromise({ try: () => replaceAgent(authorities), catch: failed })
    if (!done) return yield* unusable(caFile ?? "", "this release of Node takes them from NODE_EXTRA_CA_CERTS alone")
  }
})
