import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { connect, createServer, type Socket } from "node:net"
import { execute } from "../harness/Tls.ts"

/** Whether this process may make namespaces of the network and of mounts: Linux, as root, with iproute2. */
export const canIsolate =
  spawnSync("unshare", ["--net", "--mount", "true"]).status === 0 &&
  ["ip", "setpriv", "chroot"].every((_) => spawnSync(_, ["--version"]).error === undefined)

const ip = Effect.fnUntraced(function* (line: string) {
  const { code, err } = yield* execute("ip", line.split(" "))
  assert.strictEqual(code, 0, `ip ${line}: ${err}`)
})

/** A bridge of a name that no other test run has, and the /24 of addresses that goes with it. */
const bridge = Effect.acquireRelease(
  Effect.gen(function* () {
    for (let number = 1; number < 250; number++) {
      const { code, err } = yield* execute("ip", ["link", "add", `portico${number}`, "type", "bridge"])
      if (code !== 0) {
        assert.include(err, "exists")
        continue
      }
      made.add(number)
      return number
    }
    return yield* Effect.die("250 bridges of test runs are there: ip link show type bridge")
  }),
  (number) => Effect.sync(() => remove(number))
)

/** With all that is on it. */
const remove = (number: number) => {
  for (const line of spawnSync("ip", ["netns", "list"], { encoding: "utf8" }).stdout.split("\n")) {
    const [name = ""] = line.split(" ")
    if (name.startsWith(`portico${number}-`)) spawnSync("ip", ["netns", "del", name])
  }
  spawnSync("ip", ["link", "del", `portico${number}`])
}

// A test run that is cut short closes no scope.
const made = new Set<number>()
process.once("exit", () => made.forEach(remove))

const start = Effect.gen(function* () {
  const number = yield* bridge
  const of = (host: number) => `10.213.${number}.${host}`
  yield* ip(`addr add ${of(1)}/24 dev portico${number}`)
  yield* ip(`link set portico${number} up`)
  let last = 1

  /** The network of one pod: a namespace with an address of its own on the bridge. */
  const sandbox = Effect.gen(function* () {
    const host = ++last
    const name = `portico${number}-${host}`
    yield* Effect.acquireRelease(ip(`netns add ${name}`), () => Effect.ignore(ip(`netns del ${name}`)))
    yield* ip(`link add veth${number}-${host} type veth peer name eth0 netns ${name}`)
    yield* ip(`link set veth${number}-${host} master portico${number} up`)
    yield* ip(`-n ${name} addr add ${of(host)}/24 dev eth0`)
    yield* ip(`-n ${name} link set eth0 up`)
    yield* ip(`-n ${name} link set lo up`)
    return { name, address: of(host) }
  })

  /** `address` is that of this machine, as pods see it. */
  return { address: of(1), sandbox }
})

/** Networks of pods, which reach each other and this machine, and nothing else. */
export class Sandboxes extends Context.Service<Sandboxes, Effect.Success<typeof start>>()(
  "portico/gateway/test/Sandboxes"
) {
  static readonly layer = Layer.effect(Sandboxes, start)
}

interface Place {
  readonly host: string
  readonly port: number
}

/** Joins each connection to one of the place that it leads to then. It gives the port, which is any where 0 is asked for. */
export const relay = Effect.fnUntraced(function* (at: Place, to: () => Place) {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const onward = connect(to())
    for (const [one, other] of [
      [client, onward],
      [onward, client]
    ] as const) {
      open.add(one)
      one.pipe(other).on("error", () => one.destroy())
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(at, () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : at.port
})
