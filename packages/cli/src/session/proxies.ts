import { Config, Effect, Option } from "effect"
import { CliFailure } from "../CliFailure.ts"

/** The HTTP proxies that the environment names, as curl and most programs read it. */
export interface Proxies {
  /** For addresses that begin with http://; undefined where they are reached directly. */
  readonly http: string | undefined
  /** For addresses that begin with https://. */
  readonly https: string | undefined
  /** Which hosts are reached directly: names, suffixes such as `.example.com`, with or without a port, or `*`. */
  readonly except: string
}

type Scheme = "http" | "https"

/** The lower-case form comes first. An empty one counts as not set. */
const named = Effect.fnUntraced(function* (name: string) {
  for (const variable of [name, name.toUpperCase()]) {
    const text = yield* Effect.orDie(Config.option(Config.NonEmptyString(variable)))
    if (Option.isSome(text) && text.value.trim() !== "") return { variable, text: text.value.trim() }
  }
  return undefined
})

interface Named {
  /** The variable that names it; undefined where hosts are reached directly. */
  readonly variable: string | undefined
  readonly address: string | undefined
  /** Why it cannot be used. No message repeats the address: it may have a password. */
  readonly problem: string | undefined
}

const direct: Named = { variable: undefined, address: undefined, problem: undefined }

/** An address without a scheme is that of an HTTP proxy. */
const judged = ({ text, variable }: { readonly text: string; readonly variable: string }): Named => {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const { hostname = "", href, protocol = "" } = URL.canParse(whole) ? new URL(whole) : {}
  const problem =
    hostname === ""
      ? "is not the address of a proxy"
      : /^https?:$/.test(protocol)
        ? undefined
        : `names a proxy of the kind '${protocol.slice(0, -1)}', and this program speaks to HTTP proxies alone`
  return { variable, address: problem === undefined ? href : undefined, problem }
}

const proxyOf = Effect.fnUntraced(function* (scheme: Scheme) {
  const found = (yield* named(`${scheme}_proxy`)) ?? (yield* named("all_proxy"))
  return found === undefined ? direct : judged(found)
})

const schemeOf = (url: string): Scheme => (url.startsWith("https:") ? "https" : "http")

/** The variable of the environment that names the proxy for an address, such as `HTTPS_PROXY`; undefined without one. */
export const proxyVariableFor = (url: string) => Effect.map(proxyOf(schemeOf(url)), ({ variable }) => variable)

/**
 * The proxies of a program that works with this address; undefined where every host is reached directly. Fails where
 * the one for the address itself cannot be used.
 */
export const proxiesFor = Effect.fnUntraced(function* (url: string) {
  const both = { http: yield* proxyOf("http"), https: yield* proxyOf("https") }
  const { problem, variable } = both[schemeOf(url)]
  if (problem !== undefined) {
    return yield* new CliFailure({
      exit: "usage",
      message: `${variable} ${problem}`,
      hint: `Set ${schemeOf(url)}_proxy to the address of an HTTP proxy, such as http://proxy.example.com:3128, or unset ${variable}`
    })
  }
  const [http, https] = [both.http.address, both.https.address]
  if (http === undefined && https === undefined) return undefined
  return { http, https, except: (yield* named("no_proxy"))?.text ?? "" } satisfies Proxies
})
