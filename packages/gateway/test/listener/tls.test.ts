import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { NodeFileSystem } from "@effect/platform-node"
import { CustomerAddress, OperatorAddress } from "@portico/gateway/Planes"
import { OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { project } from "@portico/domain/onboarding/steps"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { controlled } from "@portico/upstream/openstack/openstack"
import * as System from "@portico/upstream/System"
import { assert, it as plain, layer } from "@effect/vitest"
import { Console, Context, Effect, FileSystem, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Agent } from "node:https"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { Cast } from "../harness/Cast.ts"
import { Logs } from "../harness/Logs.ts"
import { metrics, valueOf } from "../observability/exposition.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { certificateAt, hasOpenssl, terminator } from "../harness/Tls.ts"
import { until } from "@portico/testing/clock"
import { asked, hstsAt, settledOn } from "./tlsClient.ts"

/** The files that the gateway was given, and how to look at what it does with them. */
class Files extends Context.Service<
  Files,
  { readonly cert: string; readonly key: string; readonly directory: string }
>()("portico/gateway/test/Files") {
  static readonly layer = Layer.effect(
    Files,
    Effect.gen(function* () {
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const files = { cert: `${directory}/tls.crt`, key: `${directory}/tls.key`, directory }
      yield* certificateAt(files)
      return files
    })
  ).pipe(Layer.provide(NodeFileSystem.layer), Layer.orDie)
}

const Encrypted = TestGateway.layerOf(
  Effect.map(Effect.all([Files, Server]), ([{ cert, key }, { url }]) => ({
    ...gatewaySettings(url),
    CUSTOMER_TLS_CERT_FILE: cert,
    CUSTOMER_TLS_KEY_FILE: key,
    OPERATOR_TLS_CERT_FILE: cert,
    OPERATOR_TLS_KEY_FILE: key
  }))
).pipe(Layer.provideMerge(Files.layer), Layer.provideMerge(TestGateway.cloud), Layer.provideMerge(Logs.layer))

const EncryptedAgents = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Effect.all([Files, Server]), ([{ cert, key }, { url }]) => ({
        ...gatewaySettings(url),
        AGENT_TLS_CERT_FILE: cert,
        AGENT_TLS_KEY_FILE: key
      }))
    )
  ),
  Layer.provideMerge(Files.layer),
  Layer.provideMerge(TestGateway.cloud)
)

const textOf = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (_) => _.readFileString(file)).pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.orDie
  )

const write = (file: string, text: string) =>
  Effect.flatMap(FileSystem.FileSystem, (_) => _.writeFileString(file, text)).pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.orDie
  )

/** A step that asks the platform under the gateway's session, and a system of its own through the gateway's client. */
const inventoried = step({
  name: "inventory",
  needs: [project],
  do: Effect.fnUntraced(function* (_, made) {
    const keystone = yield* controlled("keystone", "identity")
    yield* keystone.send("tag project", HttpClientRequest.put(`/projects/${made(project).id}/tags/inventoried`))
    // What the network service tells everybody of its versions stands above its API.
    const url = (yield* Catalog).required.network.replace(/\/v2\.0$/, "")
    const inventory = System.make(yield* HttpClient.HttpClient, {
      upstream: "inventory",
      url,
      authorize: (request) => Effect.succeed(request),
      rejected: Effect.succeed(false)
    })
    yield* inventory.read("versions", HttpClientRequest.get("/"), Schema.Unknown)
  }),
  undo: () => Effect.void
})

/** The cloud behind TLS, under an authority that nobody else knows. */
const behindTls = (trusts: boolean) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const cloud = yield* Server
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const { ca, port } = yield* terminator(directory, cloud.port)
      return TestGateway.layerOf(
        Effect.succeed({
          ...gatewaySettings(`https://127.0.0.1:${port}`),
          ...(trusts ? { UPSTREAM_CA_FILE: ca } : {})
        }),
        OnboardingSteps.layer(inventoried)
      )
    })
  ).pipe(Layer.orDie, Layer.provide(NodeFileSystem.layer), Layer.provideMerge(TestGateway.cloud))

if (!(await Effect.runPromise(hasOpenssl))) {
  await Effect.runPromise(Console.warn("openssl is not installed: planes over TLS are not tried"))
  plain.skip("openssl is not installed", () => {})
} else {
  layer(Encrypted)("planes with a certificate", (it) => {
    it.effect("have https addresses, and are trusted by clients with the authority, routes and proxies", () =>
      Effect.gen(function* () {
        const ca = yield* textOf((yield* Files).cert)
        for (const { url } of [yield* CustomerAddress, yield* OperatorAddress]) {
          assert.match(url, /^https:/)
          assert.strictEqual(yield* asked(`${url}/health`, ca), 200)
          assert.strictEqual(yield* asked(`${url}/v1/iaas/compute/servers`, ca), 401)
        }
      })
    )

    it.effect("speak TLS 1.2 and 1.3, nothing older, and nothing in the clear", () =>
      Effect.gen(function* () {
        const { url } = yield* CustomerAddress
        const ca = yield* textOf((yield* Files).cert)
        assert.strictEqual(yield* settledOn(url, ca, "TLSv1.3"), "TLSv1.3")
        assert.strictEqual(yield* settledOn(url, ca, "TLSv1.2"), "TLSv1.2")
        assert.isNull(yield* settledOn(url, ca, "TLSv1.1"))
        const clear = yield* Effect.exit(
          Effect.tryPromise(() => fetch(`${url.replace("https:", "http:")}/health`).then((_) => _.status))
        )
        assert.strictEqual(clear._tag, "Failure")
      })
    )

    it.effect("speak TLS 1.2 with forward secrecy and authenticated encryption alone", () =>
      Effect.gen(function* () {
        const { url } = yield* CustomerAddress
        const ca = yield* textOf((yield* Files).cert)
        // The certificate's key is for ECDSA.
        for (const suite of ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]) {
          assert.strictEqual(yield* settledOn(url, ca, "TLSv1.2", `ECDHE-ECDSA-${suite}`), "TLSv1.2", suite)
        }
        for (const suite of ["AES128-SHA", "AES256-SHA384", "AES128-CCM", "AES256-CCM8", "ARIA128-GCM-SHA256"]) {
          assert.isNull(yield* settledOn(url, ca, "TLSv1.2", `ECDHE-ECDSA-${suite}`), suite)
        }
      })
    )

    it.effect("send HSTS to browsers, in every answer", () =>
      Effect.gen(function* () {
        const ca = yield* textOf((yield* Files).cert)
        const { url } = yield* CustomerAddress
        for (const path of [
          "/health",
          "/console/",
          "/v1/nothing",
          "/v1/iaas/compute/servers",
          "/openstack/identity/v3"
        ]) {
          assert.strictEqual(yield* hstsAt(`${url}${path}`, ca), "max-age=31536000", path)
        }
        const upgrade = { connection: "Upgrade", upgrade: "websocket" }
        assert.strictEqual(yield* hstsAt(`${url}/v1/kubernetes/api`, ca, upgrade), "max-age=31536000", "an upgrade")
        const { port } = new URL(url)
        for (const host of [`localhost:${port}`, "LOCALHOST", "portico.localhost"]) {
          assert.isUndefined(yield* hstsAt(`${url}/health`, ca, { host }), host)
        }
        for (const host of ["localhost.example.org", "notlocalhost"]) {
          assert.isDefined(yield* hstsAt(`${url}/health`, ca, { host }), host)
        }
      })
    )

    it.effect("load a renewed one within ten seconds, and keep the old one when the new is invalid", () =>
      Effect.gen(function* () {
        const { cert, directory, key } = yield* Files
        const { url } = yield* CustomerAddress
        const logs = yield* Logs
        const before = yield* textOf(cert)
        const [newCert, newKey] = [`${directory}/new.crt`, `${directory}/new.key`]
        yield* certificateAt({ cert: newCert, key: newKey })
        const after = yield* textOf(newCert)

        yield* write(cert, after)
        yield* TestClock.adjust("10 seconds")
        const complaint = Effect.map(logs.lines, (_) => _.some((_) => _.includes("certificate cannot be used")))
        yield* until(complaint)
        assert.strictEqual(yield* asked(`${url}/health`, before), 200)

        // A client that is connected goes on meanwhile, on its connection, under the certificate that it has seen.
        const connected = new Agent({ ca: before, keepAlive: true, maxSockets: 1 })
        assert.strictEqual(yield* asked(`${url}/health`, before, connected), 200)
        yield* write(key, yield* textOf(newKey))
        yield* TestClock.adjust("10 seconds")
        const taken = Effect.map(asked(`${url}/health`, after), (_) => _ === 200)
        yield* until(taken)
        for (let call = 0; call < 5; call++) {
          assert.strictEqual(yield* asked(`${url}/health`, before, connected), 200)
        }
        connected.destroy()
        assert.isString(yield* asked(`${url}/health`, before))
      })
    )
  })

  layer(EncryptedAgents, { excludeTestServices: true })("the agent plane with a certificate", (it) => {
    it.effect("serves the official client, when it trusts the authority", () =>
      Effect.gen(function* () {
        const { agentUrl } = yield* TestGateway
        const { acme } = yield* Cast
        const ca = yield* textOf((yield* Files).cert)
        assert.match(agentUrl, /^https:/)
        const told = Effect.promise(() => {
          const client = new Client({ name: "story", version: "1.0.0" })
          const requestInit = { headers: { authorization: `Bearer ${acme.tokens[0]}` } }
          return client
            .connect(new StreamableHTTPClientTransport(new URL(agentUrl), { requestInit }))
            .then(() => client.callTool({ name: "identity_whoami" }))
            .then(
              (_) => _.structuredContent,
              () => "refused"
            )
            .finally(() => client.close())
        })
        assert.strictEqual(yield* told, "refused")
        const trusted = getCACertificates("default")
        yield* Effect.acquireRelease(
          Effect.sync(() => setDefaultCACertificates([...trusted, ca])),
          () => Effect.sync(() => setDefaultCACertificates(trusted))
        )
        assert.deepInclude(yield* told, { tier: 0 })
      }).pipe(Effect.scoped)
    )
  })

  layer(Cast.layer.pipe(Layer.provideMerge(behindTls(true))), { excludeTestServices: true })(
    "systems whose authority is named in a file",
    (it) => {
      it.effect("are trusted, by the gateway's own calls and by forwarded ones", () =>
        Effect.gen(function* () {
          const { call } = yield* TestGateway
          const { acme } = yield* Cast
          const [token] = acme.tokens
          for (const path of ["/v1/quotas", "/v1/iaas/compute/servers", "/v1/kubernetes/version"]) {
            assert.strictEqual((yield* call("customer", "GET", path, { token })).status, 200, path)
          }
          const { components } = jsonOf(yield* call("operator", "GET", "/health/ready"))
          assert.strictEqual(components.compute.state, "ok")
        })
      )

      it.effect("are trusted by the calls of a custom onboarding step, and counted", () =>
        Effect.gen(function* () {
          const cloud = yield* SimulatedCloud
          const { acme } = yield* Cast
          assert.include(cloud.world.keystone.projects[acme.projectId]?.tags ?? [], "inventoried")

          const samples = yield* metrics
          for (const system of ["inventory", "keystone"]) {
            assert.isAbove(valueOf(samples, "portico_upstream_calls_total", { system }), 0, system)
          }
        })
      )
    }
  )

  layer(behindTls(false), { excludeTestServices: true })("systems whose authority is unknown", (it) => {
    it.effect("are not trusted", () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { components } = jsonOf(yield* call("operator", "GET", "/health/ready"))
        assert.strictEqual(components.compute.state, "down")
        assert.strictEqual((yield* call("customer", "GET", "/v1/whoami", { token: "a-token" })).status, 503)
      })
    )
  })
}
