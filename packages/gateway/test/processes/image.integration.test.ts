import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Schema } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { terminator } from "../harness/Tls.ts"
import { spawned } from "./children.ts"
import { textOf } from "./Document.ts"

const Command = Schema.fromJsonString(Schema.Array(Schema.String))

/** What the runtime starts in the container to ask whether it is well; there is no shell in it. */
const healthcheck = (): ReadonlyArray<string> => {
  const command = /^HEALTHCHECK (?:--\S+ )*\\?\s*CMD (\[.*\])$/m.exec(textOf("docker/Dockerfile"))?.[1]
  return Schema.decodeUnknownSync(Command)(command)
}

/** The end of the check in a container with these settings, beside those of the image. */
const asked = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const [program, ...args] = healthcheck()
    assert.strictEqual(program, "node")
    const command = [process.execPath, ...args]
    return yield* (yield* spawned({ command, settings: { CUSTOMER_HOST: "0.0.0.0", ...settings } })).ended
  }).pipe(Effect.scoped)

/** A customer plane whose liveness has this status, and its port. */
const plane = (status: number) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(({ url }, response) => {
        response.writeHead(url === "/health/live" ? status : 404).end("{}")
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

describe("the image's HEALTHCHECK", () => {
  it.live("passes while the customer plane's liveness does, and fails otherwise", () =>
    Effect.gen(function* () {
      const port = yield* plane(200)
      assert.strictEqual(yield* asked({ CUSTOMER_PORT: `${port}` }), 0)
      assert.strictEqual(yield* asked({ CUSTOMER_PORT: `${port}`, CUSTOMER_HOST: "" }), 0)
      assert.strictEqual(yield* asked({ CUSTOMER_PORT: `${yield* plane(503)}` }), 1)
      const closed = yield* Effect.scoped(plane(200))
      assert.strictEqual(yield* asked({ CUSTOMER_PORT: `${closed}` }), 1)
    }).pipe(Effect.scoped)
  )

  it.live("uses TLS if the customer plane does, with any certificate", () =>
    Effect.gen(function* () {
      const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const port = `${(yield* terminator(directory, yield* plane(200))).port}`
      assert.strictEqual(yield* asked({ CUSTOMER_PORT: port, CUSTOMER_TLS_CERT_FILE: `${directory}/cert.pem` }), 0)
      assert.strictEqual(yield* asked({ CUSTOMER_PORT: port }), 1)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})

const Locked = Schema.fromJsonString(
  Schema.Struct({
    packages: Schema.Record(
      Schema.String,
      Schema.Struct({
        dev: Schema.optionalKey(Schema.Boolean),
        optional: Schema.optionalKey(Schema.Boolean),
        devOptional: Schema.optionalKey(Schema.Boolean),
        hasInstallScript: Schema.optionalKey(Schema.Boolean),
        cpu: Schema.optionalKey(Schema.Unknown),
        os: Schema.optionalKey(Schema.Unknown),
        libc: Schema.optionalKey(Schema.Unknown)
      })
    )
  })
)

it("no package of the image is for one architecture, or compiled at installation", () => {
  const { packages } = Schema.decodeUnknownSync(Locked)(textOf("package-lock.json"))
  // The first entry is this repository itself, whose script is not run in the image.
  const production = Object.entries(packages).filter(
    ([name, _]) => name !== "" && !(_.dev ?? _.optional ?? _.devOptional ?? false)
  )
  assert.isAbove(production.length, 50)
  const native = production.filter(([, _]) => (_.hasInstallScript ?? _.cpu ?? _.os ?? _.libc) !== undefined)
  // Its script prints a plea.
  assert.deepStrictEqual(
    native.map(([name]) => name),
    ["node_modules/core-js-pure"]
  )
})

it("a pipe of a step in the image fails with each of its programs", () => {
  const stages = textOf("docker/Dockerfile")
    .split(/^FROM /m)
    .slice(1)
  // Of a step without its quoted words and its alternatives.
  const piped = stages.filter((_) =>
    /^RUN (?:.*\\\n)*.*[^|]\|[^|]/m.test(_.replaceAll(/'[^']*'|"[^"]*"|^CMD .*$/gm, ""))
  )
  assert.lengthOf(piped, 1)
  for (const stage of piped) assert.include(stage, 'SHELL ["/bin/bash", "-o", "pipefail", "-c"]\n')
})
