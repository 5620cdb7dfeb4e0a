import { assert, it as plain, layer } from "@effect/vitest"
import { Clock, type Duration, Effect, Layer } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Cast, type Tenant } from "../harness/Cast.ts"
import { execute } from "../harness/Tls.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { isInstalled, named } from "./parts.ts"
import { registries, started } from "./registries.ts"

/** An image of one layer, as a folder of the Open Container Initiative's layout. */
const image = (path: string) => {
  const blobs = join(path, "blobs/sha256")
  mkdirSync(blobs, { recursive: true })
  const blob = (bytes: Buffer) => {
    const hash = createHash("sha256").update(bytes).digest("hex")
    writeFileSync(join(blobs, hash), bytes)
    return { digest: `sha256:${hash}`, size: bytes.length }
  }
  const content = randomBytes(300_000)
  const types = "application/vnd.oci.image"
  const layer = blob(gzipSync(content))
  const diffs = [`sha256:${createHash("sha256").update(content).digest("hex")}`]
  const settings = { architecture: "amd64", os: "linux", config: {}, rootfs: { type: "layers", diff_ids: diffs } }
  const manifest = blob(
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        config: { mediaType: `${types}.config.v1+json`, ...blob(Buffer.from(JSON.stringify(settings))) },
        layers: [{ mediaType: `${types}.layer.v1.tar+gzip`, ...layer }]
      })
    )
  )
  const entry = { mediaType: `${types}.manifest.v1+json`, ...manifest }
  writeFileSync(join(path, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}')
  writeFileSync(join(path, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [entry] }))
  return { layer: layer.digest, manifest: manifest.digest }
}

const skopeo = (...args: ReadonlyArray<string>) => execute("skopeo", ["--insecure-policy", ...args])

/** What a tenant's credential of a tier does with a repository. */
const clientOf = ({ tokens }: Tenant, tier: 0 | 1 | 2, host: string) => {
  const creds = `ci:${tokens[tier]}`
  return {
    push: (from: string, name: string) =>
      skopeo("copy", "--dest-tls-verify=false", "--dest-creds", creds, `oci:${from}`, `docker://${host}/${name}`),
    pull: (name: string, to: string) =>
      skopeo("copy", "--src-tls-verify=false", "--src-creds", creds, `docker://${host}/${name}`, `oci:${to}`),
    remove: (name: string) => skopeo("delete", "--tls-verify=false", "--creds", creds, `docker://${host}/${name}`),
    /** A token for these scopes, as the client of a registry gets it. */
    token: Effect.fnUntraced(function* (...scopes: ReadonlyArray<string>) {
      const { call } = yield* TestGateway
      const query = ["service=registry", ...scopes.map((_) => `scope=${_}`)].join("&")
      const authorization = `Basic ${Buffer.from(creds).toString("base64")}`
      const answer = yield* call("customer", "GET", `/v1/registry/token?${query}`, { headers: { authorization } })
      return String(JSON.parse(answer.text).token)
    })
  }
}

const ask = (host: string, method: string, path: string, token: string) =>
  Effect.promise(() => fetch(`http://${host}/v2/${path}`, { method, headers: { authorization: `Bearer ${token}` } }))

const succeeded = ({ code, err }: { readonly code: number; readonly err: string }) => assert.strictEqual(code, 0, err)

const refused = ({ code, err }: { readonly code: number; readonly err: string }) => {
  assert.notStrictEqual(code, 0)
  assert.match(err, /denied|unauthorized/i)
  return err
}

const Gateway = Cast.made.pipe(Layer.provideMerge(TestGateway.layer))

for (const registry of registries) {
  const isHere = registry.isHere && isInstalled("skopeo", "--version")
  if (!isHere) plain.skip(named(registry.name, registry.program.join(" "), isHere), () => {})
  else
    layer(Gateway, { excludeTestServices: true })(registry.name, (it) => {
      it.effect("is pushed to, pulled from and deleted from by tiers", () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const { at, host } = yield* started(registry)
          const { manifest } = image(at("image"))
          const name = `${acme.projectId}/team/app:1.0`
          const [reads, operates, destroys] = [
            clientOf(acme, 0, host),
            clientOf(acme, 1, host),
            clientOf(acme, 2, host)
          ]
          refused(yield* reads.push(at("image"), name))
          succeeded(yield* operates.push(at("image"), name))
          succeeded(yield* reads.pull(name, at("pulled")))
          const index = JSON.parse(readFileSync(join(at("pulled"), "index.json"), "utf8"))
          assert.strictEqual(index.manifests[0].digest, manifest)
          refused(yield* reads.remove(name))
          refused(yield* operates.remove(name))
          succeeded(yield* destroys.remove(name))
          const gone = yield* reads.pull(name, at("again"))
          assert.match(gone.err, /manifest unknown/)
        })
      )

      it.effect("keeps tenants apart: no pull, no push, and no mount of another's layers", () =>
        Effect.gen(function* () {
          const { acme, globex } = yield* Cast
          const { at, host } = yield* started(registry)
          const { layer: digest } = image(at("image"))
          succeeded(yield* clientOf(acme, 1, host).push(at("image"), `${acme.projectId}/app:1.0`))

          const other = clientOf(globex, 2, host)
          const existing = refused(yield* other.pull(`${acme.projectId}/app:1.0`, at("stolen")))
          const absent = refused(yield* other.pull(`${acme.projectId}/xyz:1.0`, at("stolen")))
          // Nothing tells one that exists from one that does not.
          const lastLine = (text: string) => text.replaceAll(/time="[^"]*"/g, "").replaceAll("/xyz", "/app")
          assert.strictEqual(lastLine(existing), lastLine(absent))
          refused(yield* other.push(at("image"), `${acme.projectId}/app:2.0`))

          // docker and containerd ask for both scopes at once, and for the mount with that token.
          const mount = Effect.fnUntraced(function* (tenant: Tenant, to: string) {
            const from = `${acme.projectId}/app`
            const token = yield* clientOf(tenant, 1, host).token(
              `repository:${to}:pull,push`,
              `repository:${from}:pull`
            )
            const asked = yield* ask(host, "POST", `${to}/blobs/uploads/?mount=${digest}&from=${from}`, token)
            const blob = yield* ask(host, "HEAD", `${to}/blobs/${digest}`, token)
            return [asked.status, blob.status]
          })
          assert.deepStrictEqual(yield* mount(acme, `${acme.projectId}/second`), [201, 200])
          assert.deepStrictEqual(yield* mount(globex, `${globex.projectId}/mine`), [401, 404])
        })
      )

      it.effect("accepts no token of another signer, and lists no repositories", () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const { host } = yield* started(registry)
          const token = yield* clientOf(acme, 2, host).token("registry:catalog:*")
          assert.strictEqual((yield* ask(host, "GET", "", token)).status, 200)
          assert.strictEqual((yield* ask(host, "GET", "_catalog", token)).status, 401)
          const [head = "", body = "", signature = ""] = token.split(".")
          const forged = Buffer.from(
            Buffer.from(body, "base64url")
              .toString()
              .replace('"access":[]', '"access":[{"type":"registry","name":"catalog","actions":["*"]}]')
          ).toString("base64url")
          assert.notStrictEqual(forged, body)
          assert.strictEqual((yield* ask(host, "GET", "_catalog", `${head}.${forged}.${signature}`)).status, 401)
        })
      )
    })
}

/** How far the gateway's clock is behind, so that its tokens of five minutes end within seconds. */
const behind = 351_000

const Behind = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => ({
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() - behind,
    currentTimeMillis: Effect.map(real.currentTimeMillis, (_) => _ - behind),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() - BigInt(behind) * 1_000_000n,
    currentTimeNanos: Effect.map(real.currentTimeNanos, (_) => _ - BigInt(behind) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration: Duration.Duration) => real.sleep(duration)
  }))
)

const here = registries.filter((_) => _.isHere)

layer(Gateway.pipe(Layer.provide(Behind)), { excludeTestServices: true })("a token of the registry", (it) => {
  it.effect("ends after five minutes and a minute's leeway, and the client gets another one", () =>
    Effect.forEach(
      here,
      Effect.fnUntraced(function* (registry) {
        const { acme } = yield* Cast
        const { at, host } = yield* started(registry)
        image(at("image"))
        const client = clientOf(acme, 1, host)
        const name = `${acme.projectId}/app`
        succeeded(yield* client.push(at("image"), `${name}:1.0`))
        const scope = `repository:${name}:pull`
        const tags = (token: string) => ask(host, "GET", `${name}/tags/list`, token)
        const first = yield* client.token(scope)
        assert.strictEqual((yield* tags(first)).status, 200)
        yield* Effect.sleep("10 seconds")
        const late = yield* tags(first)
        assert.strictEqual(late.status, 401)
        assert.include(late.headers.get("www-authenticate") ?? "", `scope="${scope}"`)
        assert.strictEqual((yield* tags(yield* client.token(scope))).status, 200)
        succeeded(yield* client.pull(`${name}:1.0`, at("pulled")))
      }),
      { concurrency: "unbounded", discard: true }
    )
  )
})
