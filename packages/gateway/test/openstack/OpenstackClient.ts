import { Context, Effect, Layer } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TestGateway } from "../harness/TestGateway.ts"

/** What a credential's secrets are to `clouds.yaml`. */
export interface Key {
  readonly client_id: string
  readonly client_secret: string
  readonly pat: string
}

export interface Ended {
  /** The exit code; -1 when it was killed. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Whether there is such a program on this machine. */
export const isInstalled = spawnSync("openstack", ["--version"], { stdio: "ignore" }).status === 0

const page = join(import.meta.dirname, "../../../../docs/tenants/openstack-clients.md")

/** The `clouds.yaml` of the documentation, with nothing but its placeholders filled in. */
const documented = (gateway: string, { client_id, client_secret, pat }: Key): string => {
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(readFileSync(page, "utf8")) ?? []
  return yaml
    .replaceAll("https://api.cloud.example", gateway)
    .replaceAll("<client_id>", client_id)
    .replaceAll("<client_secret>", client_secret)
    .replaceAll("<pat>", pat)
}

/** The program `openstack` as it is installed, in front of the customer plane. */
export class OpenstackClient extends Context.Service<
  OpenstackClient,
  {
    /** @param cloud of the documentation: `by-key`, `by-token` */
    run(key: Key, cloud: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended>
    /** What it prints as JSON when it ends well; anything else is a defect. */
    read(key: Key, cloud: string, ...args: ReadonlyArray<string>): Effect.Effect<ReturnType<typeof JSON.parse>>
  }
>()("portico/gateway/test/real/OpenstackClient") {
  static readonly layer = Layer.effect(
    OpenstackClient,
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const home = mkdtempSync(join(tmpdir(), "portico-openstack-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true })))

      const run = (key: Key, cloud: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
        Effect.callback<Ended>((resume, signal) => {
          const yaml = documented(url.customer, key)
          const file = join(home, `${hash("sha256", yaml)}.yaml`)
          writeFileSync(file, yaml)
          // Nothing of the surroundings: they may know another cloud.
          const env = { PATH: process.env["PATH"], HOME: home, OS_CLIENT_CONFIG_FILE: file }
          execFile(
            "openstack",
            ["--os-cloud", cloud, ...args],
            { env, signal, timeout: 600_000 },
            (error, stdout, stderr) => {
              const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
              resume(Effect.succeed({ code, stdout, stderr }))
            }
          )
        })

      return OpenstackClient.of({
        run,
        read: Effect.fnUntraced(function* (key, cloud, ...args) {
          const { code, stderr, stdout } = yield* run(key, cloud, ...args, "-f", "json")
          return code === 0
            ? JSON.parse(stdout)
            : yield* Effect.die(new Error(`openstack ${args.join(" ")} ended with ${code}: ${stderr}`))
        })
      })
    })
  )
}
