import { NodeFileSystem } from "@effect/platform-node"
import { assert, it as plain, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { sampled } from "@portico/testing/sample/sampled"
import { Effect, FileSystem, Layer } from "effect"
import { createLocalJWKSet, jwtVerify } from "jose"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { terminator } from "../../../gateway/test/harness/Tls.ts"
import { isInstalled, machine } from "./Machine.ts"

/** Where scripts/parts/opentofu.sh puts it. */
const opentofu = "/opt/portico-parts/opentofu/bin/tofu"

const Gateway = TestGateway.layerOf(
  Effect.map(Server, ({ s3Url, url }) => ({
    ...gatewaySettings(url),
    OPENSTACK_COMPATIBILITY: "true",
    OBJECT_STORAGE_PUBLIC_URL: s3Url
  }))
).pipe(Layer.provideMerge(Server.layer({ port: 0, s3Port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory))))

/** Acme's machine; the clients that it starts find the token in the environment, and no file has it. */
const acme = (settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { acme } = yield* Cast
    const { url } = yield* TestGateway
    const made = yield* machine({ PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2], ...settings })
    return { ...made, token: acme.tokens[2], projectId: acme.projectId }
  })

const succeeded = ({ exit, stderr, stdout }: { exit: number; stderr: string; stdout: string }) => {
  assert.strictEqual(exit, 0, stderr)
  return stdout
}

/** A registry that speaks Docker's token protocol: it knows the gateway's keys, and has one manifest. */
const registry = Effect.gen(function* () {
  const { call, url } = yield* TestGateway
  const keys = createLocalJWKSet(JSON.parse((yield* call("customer", "GET", "/v1/registry/jwks")).text))
  const server = createServer((request, response) => {
    const [, token = ""] = (request.headers.authorization ?? "").split(" ")
    const [, name = ""] = /^\/v2\/(.*)\/manifests\//.exec(request.url ?? "") ?? []
    const scope = name === "" ? "" : `,scope="repository:${name}:pull"`
    void jwtVerify<{ access: ReadonlyArray<{ name: string; actions: ReadonlyArray<string> }> }>(token, keys, {
      audience: "registry"
    })
      .then(({ payload }) => name === "" || payload.access.some((_) => _.name === name && _.actions.includes("pull")))
      .catch(() => false)
      .then((isAllowed) => {
        if (isAllowed) {
          response.writeHead(200, { "content-type": "application/vnd.oci.image.manifest.v1+json" })
          return response.end(name === "" ? "{}" : manifest)
        }
        const challenge = `Bearer realm="${url.customer}/v1/registry/token",service="registry"${scope}`
        response.writeHead(401, { "www-authenticate": challenge, "content-type": "application/json" })
        return response.end('{"errors":[{"code":"UNAUTHORIZED"}]}')
      })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
})

const manifest = JSON.stringify({ schemaVersion: 2, config: {}, layers: [] })

/** A plane behind TLS, without which kubectl sends no token. */
const encrypted = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const { url } = yield* TestGateway
  const { ca, port } = yield* terminator(yield* files.makeTempDirectoryScoped(), Number(new URL(url.customer).port))
  return { ca, url: `https://127.0.0.1:${port}` }
}).pipe(Effect.provide(NodeFileSystem.layer), Effect.orDie)

/** With each installed client what it is for. */
const stories = [
  {
    program: "openstack",
    version: ["--version"],
    name: "lists servers with a token that no file holds, and with a stored one",
    told: Effect.gen(function* () {
      const { portico, read, run, token } = yield* acme()
      succeeded(yield* portico("setup openstack"))
      const line = ["openstack", "--os-cloud", "portico", "server", "list", "-f", "json"]
      assert.deepStrictEqual(JSON.parse(succeeded(yield* run("portico", ["exec", "--", ...line]))), [])
      assert.notInclude(read(".config/openstack/clouds.yaml"), token)

      succeeded(yield* portico("setup openstack --name stored --store-secret"))
      const stored = yield* run("openstack", ["--os-cloud", "stored", "server", "list", "-f", "json"])
      assert.deepStrictEqual(JSON.parse(succeeded(stored)), [])
    })
  },

  {
    program: "kubectl",
    version: ["version", "--client"],
    name: "gets ConfigMaps of the tenant's own namespace",
    told: Effect.gen(function* () {
      const { ca, url } = yield* encrypted
      const { read, run, token } = yield* acme({ PORTICO_URL: url, NODE_EXTRA_CA_CERTS: ca })
      succeeded(yield* run("portico", ["setup", "kubectl", "--ca-file", ca]))
      const kubectl = (...args: ReadonlyArray<string>) => run("kubectl", args)
      succeeded(yield* kubectl("create", "configmap", "settings", "--from-literal=color=green"))
      assert.include(succeeded(yield* kubectl("get", "configmaps", "--output=name")), "configmap/settings\n")
      // kubectl understands and keeps the mark when it writes the file anew.
      succeeded(yield* kubectl("config", "set-context", "portico", "--namespace=other"))
      assert.notInclude(read(".kube/config"), token)
      succeeded(yield* run("portico", ["setup", "kubectl", "--ca-file", ca]))
      assert.include(succeeded(yield* kubectl("get", "configmaps", "--output=name")), "configmap/settings\n")
      succeeded(yield* run("portico", ["setup", "kubectl", "--remove"]))
      assert.notInclude(read(".kube/config"), "portico")
    })
  },

  {
    program: "aws",
    version: ["--version"],
    name: "makes a bucket, uploads, lists and downloads",
    told: Effect.gen(function* () {
      const { portico, read, run, write } = yield* acme()
      succeeded(yield* portico("setup aws"))
      const s3 = (...args: ReadonlyArray<string>) => run("aws", ["--profile", "portico", "s3", ...args])
      write("photo.txt", "a photo")
      succeeded(yield* s3("mb", "s3://by-aws"))
      succeeded(yield* s3("cp", "photo.txt", "s3://by-aws/2026/photo.txt"))
      assert.include(succeeded(yield* s3("ls", "s3://by-aws/2026/")), "photo.txt")
      succeeded(yield* s3("cp", "s3://by-aws/2026/photo.txt", "back.txt"))
      assert.strictEqual(read("back.txt"), "a photo")
    })
  },

  {
    program: "s3cmd",
    version: ["--version"],
    name: "lists buckets with keys from the environment, and with stored ones",
    told: Effect.gen(function* () {
      const { at, portico, read, run } = yield* acme()
      succeeded(yield* portico("setup s3cmd"))
      succeeded(yield* run("portico", ["exec", "--s3", "--", "s3cmd", "mb", "s3://by-s3cmd"]))
      assert.notInclude(read(".s3cfg"), "secret_key")
      succeeded(yield* portico("setup s3cmd --store-secret"))
      assert.include(succeeded(yield* run("s3cmd", ["-c", at(".s3cfg"), "ls"])), "s3://by-s3cmd")
    })
  },

  {
    program: "rclone",
    version: ["version"],
    name: "copies with the keys of the AWS profile's helper",
    told: Effect.gen(function* () {
      const { portico, read, run, write } = yield* acme()
      succeeded(yield* portico("setup rclone"))
      write("notes.txt", "notes")
      succeeded(yield* run("rclone", ["mkdir", "portico:by-rclone"]))
      succeeded(yield* run("rclone", ["copyto", "notes.txt", "portico:by-rclone/notes.txt"]))
      assert.include(succeeded(yield* run("rclone", ["ls", "portico:by-rclone"])), "notes.txt")
      // rclone drops comments when it writes the file, and the entry is still known as ours.
      succeeded(yield* run("rclone", ["config", "create", "other", "memory"]))
      assert.include((yield* portico("setup rclone")).stderr, "Everything is as it should be.")
      succeeded(yield* portico("setup rclone --remove"))
      assert.notInclude(read(".config/rclone/rclone.conf"), "portico")
    })
  },

  {
    program: "skopeo",
    version: ["--version"],
    name: "reads a manifest of the tenant's with the helper's login",
    told: Effect.gen(function* () {
      const { at, portico, projectId, run } = yield* acme()
      const host = yield* registry
      const inspect = (name: string) =>
        run("skopeo", ["inspect", "--raw", "--tls-verify=false", `docker://${host}/${name}/app:1.0`], {
          more: { XDG_RUNTIME_DIR: at("run") }
        })
      assert.notStrictEqual((yield* inspect(projectId)).exit, 0)
      succeeded(yield* portico(`setup docker --registry ${host}`))
      assert.strictEqual(succeeded(yield* inspect(projectId)), manifest)
      assert.notStrictEqual((yield* inspect("another-project")).exit, 0)
    })
  },

  {
    program: opentofu,
    version: ["version"],
    name: "finds the file well formed",
    told: Effect.gen(function* () {
      const { at, portico, run } = yield* acme()
      succeeded(yield* portico(`setup terraform --file ${at("portico.tf")}`))
      succeeded(yield* run(opentofu, ["fmt", "-check", at("portico.tf")]))
    })
  }
]

const told = sampled("stock clients", 2, stories).map((_) => ({ ..._, isThere: isInstalled(_.program, ..._.version) }))
for (const { name, program } of told.filter((_) => !_.isThere))
  plain.skip(`${program} is not installed: ${name}`, () => {})

layer(Cast.layer.pipe(Layer.provideMerge(Gateway)), { excludeTestServices: true })("after portico setup", (it) => {
  for (const { name, program, told: story } of told.filter((_) => _.isThere)) {
    it.effect(`${program}: ${name}`, () => story)
  }

  it.effect("docker's helper protocol: get, list, store and erase", () =>
    Effect.gen(function* () {
      const { portico, run, token } = yield* acme()
      const helper = (verb: string, input = "") => run("docker-credential-portico", [verb], { input })
      const missing = yield* helper("get", "registry.example\n")
      assert.deepStrictEqual([missing.exit, missing.stdout], [4, "credentials not found in native keychain\n"])
      succeeded(yield* portico("setup docker --registry registry.example"))
      assert.deepStrictEqual(JSON.parse(succeeded(yield* helper("get", "https://registry.example/v1/"))), {
        ServerURL: "https://registry.example/v1/",
        Username: "portico",
        Secret: token
      })
      assert.deepStrictEqual(JSON.parse(succeeded(yield* helper("list"))), { "registry.example": "portico" })
      for (const name of ["constructor", "__proto__"]) assert.strictEqual((yield* helper("get", name)).exit, 4)
      // The token in the environment is of another gateway.
      const elsewhere = { input: "registry.example", more: { PORTICO_URL: "https://other.example" } }
      const foreign = yield* run("docker-credential-portico", ["get"], elsewhere)
      assert.strictEqual(foreign.exit, 3)
      assert.notInclude(foreign.stdout, token)
      const login = (Username: string) => JSON.stringify({ ServerURL: "registry.example", Username, Secret: "hush" })
      assert.strictEqual(succeeded(yield* helper("store", login("portico"))), "")
      const refused = yield* helper("store", login("somebody"))
      assert.strictEqual(refused.exit, 1)
      assert.include(refused.stdout, "'docker login' is not needed")
      assert.notInclude(refused.stdout + refused.stderr, "hush")
      assert.strictEqual(succeeded(yield* helper("erase", "registry.example")), "")
      const signedOut = yield* run("docker-credential-portico", ["get"], {
        input: "registry.example",
        more: { PORTICO_TOKEN: "" }
      })
      assert.notStrictEqual(signedOut.exit, 0)
      assert.notStrictEqual(signedOut.stdout, "")
    })
  )
})
