import { Clock, Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { certificatesIn } from "../certificates.ts"
import { Trust } from "../Trust.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"

/** Projected tokens rotate: the kubelet writes a new one long before the old one ends. */
const believed = Duration.minutes(1)

/** How the API server is reached, and with which identity of the gateway's own. */
export interface ClusterApi {
  /** Without a slash at the end; it may have a path. */
  readonly url: string
  readonly token: Effect.Effect<Redacted.Redacted, UpstreamError>
  /** The server did not accept this token; true when there is another one now. */
  renewed(refused: Redacted.Redacted): Effect.Effect<boolean>
  /** PEM of the authority that signed the server's certificate; without it the system's authorities count. */
  readonly ca: string | undefined
}

/**
 * The Kubernetes cluster, which a cloud may lack. Its token is either fixed or
 * in a file, which is read again after a minute and whenever the server does
 * not accept what was in it.
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

/** What may stand in a header; a file that is being written may hold nothing, or half a line. */
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
    held = { token, until: now + Duration.toMillis(believed) }
    return token
  })

  return {
    token: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (held !== undefined && now < held.until) return held.token
      const last = held?.token
      // The last one may be good for a while yet.
      return yield* last === undefined ? read : Effect.catch(read, () => Effect.succeed(last))
    }),
    renewed: (refused) =>
      Effect.gen(function* () {
        if (held !== undefined && !isSame(held.token, refused)) return true
        return !isSame(yield* read, refused)
      }).pipe(Effect.catch(() => Effect.succeed(false)))
  }
}

const isSame = (one: Redacted.Redacted, other: Redacted.Redacted): boolean =>
  Redacted.value(one) === Redacted.value(other)

const failed = (words: string) => new UpstreamError({ upstream: "kubernetes", call: "token", status: null, words })
