import { NodeFileSystem, NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { isRefused, type KeyEndpoint, KeyEndpoints } from "@portico/upstream/oidc/KeyEndpoints"
import { ConfigProvider, Console, Effect, FileSystem, Layer } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { hasOpenssl, terminator } from "../harness/Tls.ts"

const endpoints = (settings: Readonly<Record<string, string>> = {}) =>
  KeyEndpoints.layer.pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

const insecure = { WORKLOAD_IDENTITY_INSECURE: "true" }

/** A server on a port of this machine, and how many requests and connections it has seen. */
const serving = Effect.fnUntraced(function* (answer: RequestListener) {
  const seen = { requests: 0, connections: 0 }
  const server = createServer((from, to) => {
    seen.requests += 1
    answer(from, to)
  })
  server.on("connection", () => (seen.connections += 1))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return { seen, port: (server.address() as AddressInfo).port }
})

const keySet: RequestListener = (_, to) => void to.end(JSON.stringify({ keys: [{ kty: "RSA" }] }))

const endpoint = (jwksUri: string, ca: string | null = null): KeyEndpoint => ({
  issuer: "https://cluster.example",
  discoveryUrl: "https://cluster.example/.well-known/openid-configuration",
  jwksUri,
  ca
})

/** The words with which it fails, or what came. */
const fetched = (of: KeyEndpoint) =>
  Effect.flatMap(KeyEndpoints, (_) =>
    Effect.match(_.keySet(of), { onSuccess: (keys) => JSON.stringify(keys), onFailure: (error) => error.summary })
  )

describe("addresses that keys are never fetched from", () => {
  const refused = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:1::",
    "fe80::1",
    "ff02::1",
    "",
    "localhost",
    "127.1"
  ]
  for (const address of refused) it(`${address}`, () => assert.isTrue(isRefused(address)))
  const allowed = [
    "10.0.0.1",
    "172.20.0.3",
    "192.168.1.1",
    "100.64.0.1",
    "198.51.100.7",
    "2001:db8::1",
    "fd00::1",
    "::ffff:10.0.0.1"
  ]
  for (const address of allowed) it(`not ${address}: clusters may be there`, () => assert.isFalse(isRefused(address)))

  const literals = [
    "https://0x7f.1/",
    "https://2130706433/",
    "https://0177.0.0.1",
    "https://[::1]:6443",
    "https://[::ffff:7f00:1]/",
    "https://127.1"
  ]
  const refusal = (url: string) =>
    KeyEndpoints.pipe(
      Effect.map((_) => _.refusal(url)),
      Effect.provide(endpoints())
    )
  for (const url of literals) it.effect(url, () => Effect.map(refusal(url), (_) => assert.isDefined(_)))
  for (const url of ["https://localhost/", "https://10.0.0.1/", "https://[fd00::1]"]) {
    it.effect(`spelling does not matter: ${url}`, () => Effect.map(refusal(url), (_) => assert.isUndefined(_)))
  }
})

describe("a key endpoint", () => {
  const words: Readonly<Record<string, string>> = {
    "http://cluster.example/keys": "must begin with https://",
    "https://127.0.0.1/keys": "names this machine, its own link, or no single machine",
    "https://169.254.169.254/latest": "names this machine, its own link, or no single machine",
    "https://[::1]/keys": "names this machine, its own link, or no single machine"
  }
  for (const [address, refusal] of Object.entries(words)) {
    it.live(`${address} is refused at registration, and at each fetch`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* KeyEndpoints).refusal(address), refusal)
        assert.strictEqual(yield* fetched(endpoint(address)), `issuer get key set: ${address} ${refusal}`)
      }).pipe(Effect.provide(endpoints()))
    )
  }

  it.live("of this machine is refused by its name too", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* serving(keySet)
      assert.isUndefined((yield* KeyEndpoints).refusal(`https://localhost:${port}/keys`))
      assert.strictEqual(yield* fetched(endpoint(`https://localhost:${port}/keys`)), "issuer get key set: no answer")
      assert.strictEqual(seen.connections, 0)
    }).pipe(Effect.scoped, Effect.provide(endpoints()))
  )

  it.live("is not followed through a redirect", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* serving((from, to) => {
        if (from.url !== "/keys") return keySet(from, to)
        to.writeHead(302, { location: "/elsewhere" }).end()
      })
      assert.strictEqual(yield* fetched(endpoint(`http://127.0.0.1:${port}/keys`)), "issuer get key set: answered 302")
      assert.strictEqual(seen.requests, 1)
    }).pipe(Effect.scoped, Effect.provide(endpoints(insecure)))
  )

  it.live("is not read endlessly", () =>
    Effect.gen(function* () {
      const { port } = yield* serving((_, to) => {
        const more = () => void (to.destroyed || to.write("x".repeat(65_536), () => setImmediate(more)))
        more()
      })
      assert.strictEqual(
        yield* fetched(endpoint(`http://127.0.0.1:${port}/keys`)),
        "issuer get key set: answered with more than 131072 bytes"
      )
    }).pipe(Effect.scoped, Effect.provide(endpoints(insecure)))
  )

  it.live("is trusted only with a certificate of its registered authority", () =>
    Effect.gen(function* () {
      if (!(yield* hasOpenssl)) return yield* Console.warn("openssl is not installed: keys over TLS are not tried")
      const files = yield* FileSystem.FileSystem
      const { port, seen } = yield* serving(keySet)
      const [one, other] = [
        yield* terminator(yield* files.makeTempDirectoryScoped(), port),
        yield* terminator(yield* files.makeTempDirectoryScoped(), port)
      ]
      const address = `https://127.0.0.1:${one.port}/keys`
      const pem = (of: { readonly ca: string }) => files.readFileString(of.ca)
      assert.strictEqual(yield* fetched(endpoint(address, yield* pem(other))), "issuer get key set: no answer")
      assert.strictEqual(yield* fetched(endpoint(address)), "issuer get key set: no answer")
      assert.strictEqual(seen.requests, 0)
      assert.strictEqual(yield* fetched(endpoint(address, yield* pem(one))), '{"keys":[{"kty":"RSA"}]}')
      assert.strictEqual(seen.requests, 1)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer), Effect.provide(endpoints(insecure)))
  )
})
