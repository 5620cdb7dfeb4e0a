import { NodeFileSystem } from "@effect/platform-node"
import { Config, Console, Context, Effect, FileSystem, Layer, type Scope } from "effect"
import { spawn } from "node:child_process"
import { planeOf } from "./ClusterTap.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { execute, hasOpenssl, type Run, terminator } from "../harness/Tls.ts"

const binary = Config.String("KUBECTL").pipe(Config.withDefault("kubectl"))

/** The minor version of the kubectl that is installed, or named by the setting KUBECTL; none when there is none, or no openssl. */
export const installed: Effect.Effect<number | void> = Effect.gen(function* () {
  const client = yield* execute(yield* binary, ["version", "--client", "--output=json"])
  if (client.code !== 0 || !(yield* hasOpenssl)) {
    return yield* Console.warn("kubectl is not installed, or openssl is not: nothing of what it does here is tried")
  }
  return Number.parseInt(JSON.parse(client.out).clientVersion.minor, 10)
}).pipe(Effect.orDie)

/** How the program reaches a plane. */
const planeAt = Effect.fnUntraced(function* (plane: string, directory: string, url: string) {
  const files = yield* FileSystem.FileSystem
  const own = `${directory}/${plane}`
  yield* files.makeDirectory(own)
  const { ca, port } = yield* terminator(own, Number(new URL(url).port))
  return [
    `--cache-dir=${own}/cache`,
    `--certificate-authority=${ca}`,
    `--server=https://127.0.0.1:${port}/v1/kubernetes`
  ]
})

/**
 * The real program in front of the plane of whoever's token it is given. It sends its token over TLS
 * alone, so that a terminator with a certificate of the moment stands between.
 */
export class Kubectl extends Context.Service<
  Kubectl,
  {
    readonly directory: string
    run(token: string, args: ReadonlyArray<string>, input?: string): Effect.Effect<Run>
    /** Runs until the scope ends; what it has written so far is told. */
    follow(token: string, args: ReadonlyArray<string>): Effect.Effect<() => string, never, Scope.Scope>
  }
>()("portico/gateway/test/Kubectl") {
  static readonly layer = Layer.effect(
    Kubectl,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const { url } = yield* TestGateway
      const planes = yield* Effect.all({
        customer: planeAt("customer", directory, url.customer),
        operator: planeAt("operator", directory, url.operator)
      })
      yield* files.writeFileString(`${directory}/config`, "apiVersion: v1\nkind: Config\n")
      const program = yield* binary
      const argsOf = (token: string, args: ReadonlyArray<string>) => [
        `--kubeconfig=${directory}/config`,
        ...planes[planeOf(token)],
        `--token=${token}`,
        ...args
      ]
      return Kubectl.of({
        directory,
        run: (token, args, input) => execute(program, argsOf(token, args), input),
        follow: Effect.fnUntraced(function* (token, args) {
          const child = yield* Effect.acquireRelease(
            Effect.sync(() => spawn(program, argsOf(token, args), { stdio: ["ignore", "pipe", "inherit"] })),
            (_) => Effect.sync(() => void _.kill())
          )
          let text = ""
          child.stdout.on("data", (_: Buffer) => (text += _.toString()))
          return () => text
        })
      })
    })
  ).pipe(Layer.orDie, Layer.provide(NodeFileSystem.layer))
}
