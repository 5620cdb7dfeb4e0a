import { Clock, Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { certificatesIn } from "../certificates.ts"
import { Trust } from "../Trust.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"

/**
 * How long a token from the file is cached. Projected tokens rotate: the
 * kubelet writes a new one long before the old one expires.
 */
const tokenTtl = Duration.minutes(1)

/** The connection to the API server with the gateway's own identity. */
export interface ClusterApi {
  /** Without a trailing slash; it may have a path. */
  readonly url: string
  readonly token: Effect.Effect<Redacted.Redacted, UpstreamError>
  /** Called when the server rejected this token. True when there is another one now. */
  renewed(refused: Redacted.Redacted): Effect.Effect<boolean>
  /** PEM of the authority that signed the server's certificate; undefined for the system's authorities. */
  readonly ca: string | undefined
}

/**
 * The Kubernetes cluster; `api` is undefined in a cloud without one. Its token
 * is either fixed or in a file. The file is read again after a minute and
 * whenever the server rejects its token.
 */
export class Cluster extends Context.Service<Cluster, { readonly api: ClusterApi | undefined }>()(
  "portico/upstream/kubernetes/Cluster"
) {
  static readonly layer = Layer.effect(
    Cluster,
    Effect.gen(function* () {
      const url = yield* Config.option(Config.URL("KUBERNETES_URL"))
      if (Option.isNone(url)) return Cluster.of({ api: undefined })
      const file = yield* Config.option(Config.String("KUBERNETES_TOKEN_FILE"))
      const ca = yield* Config.option(
        Config.String("KUBERNETES_CA_FILE").pipe(Config.mapEffect(certificatesIn("KUBERNETES_CA_FILE")))
      )
      const token = Option.isSome(file) ? inFile(file.value) : fixed(yield* Config.Redacted("KUBERNETES_TOKEN"))
      return Cluster.of({
        api: {
          url: baseOf(url.value),
          ca: Option.getOrUndefined(ca) ?? (yield* Trust)?.join("\n"),
          ...token
        }
      })
    })
  )
}

type Token = Pick<ClusterApi, "token" | "renewed">

const fixed = (token: Redacted.Redacted): Token => ({
  token: Effect.succeed(token),
  renewed: () => Effect.succeed(false)
})

/** The characters of a token. A file that is being written may be empty or hold a partial line. */
const sendable = /^[\x21-\x7e]+$/

const inFile = (file: string): Token => {
  let held: { readonly token: Redacted.Redacted; readonly until: number } | undefined

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: () => failed("the token file cannot be read")
    })
    if (!sendable.test(text.trim())) return yield* failed("the token file holds no token")
    const token = Redacted.make(text.trim())
    held = { token, until: now + Duration.toMillis(tokenTtl) }
    return token
  })

  return {
    token: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (held !== undefined && now < held.until) return held.token
      const last = held?.token
      // The last token may still be valid.
      return yield* last === undefined ? read : Effect.catch(read, () => Effect.succeed(last))
    }),
    renewed: (refused) =>
      Effect.gen(function* () {
        if (held !== undefined && !isSameToken(held.token, refused)) return true
        return !isSameToken(yield* read, refused)
      }).pipe(Effect.catch(() => Effect.succeed(false)))
  }
}

const isSameToken = (one: Redacted.Redacted, other: Redacted.Redacted): boolean =>
  Redacted.value(one) === Redacted.value(other)

const failed = (detail: string) => new UpstreamError({ upstream: "kubernetes", call: "token", status: null, detail })
