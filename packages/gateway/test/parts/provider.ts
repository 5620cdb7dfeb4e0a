import { Effect } from "effect"
import { exportJWK, generateKeyPair, type JWK } from "jose"
import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"
import { certificateIn } from "../harness/Tls.ts"
import { folder } from "./parts.ts"

export const algorithms = ["RS256", "ES256", "EdDSA", "Ed25519", "PS256"] as const
export type Algorithm = (typeof algorithms)[number]

/** A private key of an OpenID provider. */
export const signingKey = (alg: Algorithm): Effect.Effect<JWK> =>
  Effect.promise(async () => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    return { ...(await exportJWK(privateKey)), alg, use: "sig" }
  })

/** An address at which the test puts one provider after the other, as a provider that is configured anew. */
export const address = Effect.fnUntraced(function* ({ tls }: { readonly tls: boolean }) {
  let listener: RequestListener = (_, response) => void response.writeHead(503).end()
  const listen: RequestListener = (request, response) => listener(request, response)
  const files = tls ? yield* certificateIn((yield* folder).at) : undefined
  const read = (file: string) => readFileSync(file, "utf8")
  const server =
    files === undefined
      ? createServer(listen)
      : createTlsServer({ cert: read(files.cert), key: read(files.key) }, listen)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const url = `http${tls ? "s" : ""}://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** PEM of the authority. */
    ca: files === undefined ? null : read(files.cert),
    serve: (configuration: object) =>
      Effect.sync(() => {
        listener = new Provider(url, {
          cookies: { keys: ["a key of the test"] },
          ...configuration
        }).callback()
      })
  }
})

/** The id under which a workload signs with an algorithm, which is also the subject of its tokens. */
export const workload = (alg: Algorithm): string => `system:serviceaccount:ci:${alg.toLowerCase()}`

const secret = "a-secret-of-a-workload"

/** A provider that gives workloads JWTs for the audience that they ask for. */
export const forWorkloads = (keys: ReadonlyArray<JWK>, lifetime = 3600) => ({
  jwks: { keys },
  clients: algorithms
    .filter((alg) => keys.some((_) => _.alg === alg))
    .map((alg) => ({
      client_id: workload(alg),
      client_secret: secret,
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["client_credentials"],
      response_types: [],
      redirect_uris: []
    })),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_: unknown, audience: string, { clientId }: { readonly clientId: string }) => ({
        audience,
        scope: "api",
        accessTokenFormat: "jwt",
        accessTokenTTL: lifetime,
        jwt: { sign: { alg: algorithms.find((alg) => workload(alg) === clientId) } }
      })
    }
  },
  // Without an RSA key there are no ID tokens, which nobody asks for here.
  clientDefaults: { id_token_signed_response_alg: keys[0]?.alg }
})
