import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Connection } from "@portico/gateway/connections/Connections"
import { ensured } from "@portico/gateway/start/certificates"
import { Effect, FileSystem } from "effect"
import { connect, Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { emptyLines, Held, holdRecords, sendInRecords } from "../harness/tinyRecords.ts"
import { listening } from "./listening.ts"

/** In milliseconds: nothing but the flood is a reason to close these connections. */
const neverLate = 3_600_000

/** A plane that speaks TLS, and clients whose handshake is over. */
const connected = Effect.fnUntraced(function* (count: number) {
  const { makeTempDirectoryScoped, readFileString } = yield* FileSystem.FileSystem
  const folder = yield* makeTempDirectoryScoped()
  const files = { ca: `${folder}/ca.pem`, cert: `${folder}/cert.pem`, key: `${folder}/key.pem` }
  yield* ensured(folder, files)
  const [ca, cert, key] = yield* Effect.forEach([files.ca, files.cert, files.key], (_) => readFileString(_))
  const { url } = yield* listening(neverLate, { cert: cert ?? "", key: key ?? "" })
  const client = Effect.gen(function* () {
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(Number(new URL(url).port), "127.0.0.1")),
      (_) => Effect.sync(() => _.destroy())
    )
    const held = new Held(socket)
    const secure = connectTls({ socket: held, ca, host: "127.0.0.1" })
    yield* Effect.promise(() => new Promise((done) => secure.once("secureConnect", done)))
    return { socket, held, secure }
  })
  return yield* Effect.replicateEffect(client, count)
}, Effect.provide(NodeFileSystem.layer))

const secured = Effect.flatMap(connected(1), ([client]) =>
  client === undefined ? Effect.die("there is no client") : Effect.succeed(client)
)

/** One turn of an event loop that is late. */
const lateTurn = Effect.promise(() => {
  for (const end = performance.now() + 50; performance.now() < end;);
  return new Promise((done) => setImmediate(done))
})

it.live("while the event loop is late, a client that sends one byte a TLS record is disconnected", () =>
  Effect.gen(function* () {
    const { held, secure, socket } = yield* secured
    let isClosed = false
    socket.once("close", () => (isClosed = true))
    yield* sendInRecords(secure, held, emptyLines(20_000))
    yield* Effect.repeat(lateTurn, { until: () => isClosed })
  }).pipe(Effect.scoped)
)

it.live("so are many that each send fewer", () =>
  Effect.gen(function* () {
    const clients = yield* connected(4)
    let closed = 0
    for (const { socket } of clients) socket.once("close", () => (closed += 1))
    for (const { held, secure } of clients) yield* holdRecords(secure, held, emptyLines(5_000))
    for (const { held } of clients) held.release()
    yield* Effect.repeat(lateTurn, { until: () => closed === clients.length })
  }).pipe(Effect.scoped)
)

it.live("and one that sends as many bytes in large records is answered", () =>
  Effect.gen(function* () {
    const { secure } = yield* secured
    const answered = new Promise<string>((done) => secure.once("data", (_) => done(String(_))))
    secure.write(`${"\r\n".repeat(250_000)}GET / HTTP/1.1\r\nhost: x\r\nexpect: nothing\r\ncontent-length: -1\r\n\r\n`)
    for (let turn = 0; turn < 4; turn++) yield* lateTurn
    assert.match(yield* Effect.promise(() => answered), /^HTTP\/1\.1 400 /)
  }).pipe(Effect.scoped)
)

/** A socket that says how many bytes it has read. */
const counted = () => {
  const socket = new Socket()
  let read = 0
  Object.defineProperty(socket, "bytesRead", { get: () => read })
  return { socket, reads: (bytes: number) => void (read += bytes) }
}

it("bytes that TLS added count beyond 4 KiB, and beyond a quarter of what it carried", () => {
  const KiB = 1024
  const table = [
    ["one byte a record", 240, 10, 230],
    ["changes of keys alone", 130, 0, 130],
    ["records of 60 bytes", 820, 600, 220],
    ["records of 100 bytes", 1_220, 1_000, 0],
    ["large records", 100_140, 100_000, 0],
    ["few small records", 4, 0, 0]
  ] as const
  for (const [what, encrypted, carried, added] of table) {
    const [accepted, spoken] = [counted(), counted()]
    const connection = new Connection(accepted.socket, true)
    accepted.reads(3 * KiB)
    assert.strictEqual(connection.takeAdded(), 0, what)
    connection.spoken = spoken.socket
    accepted.reads(encrypted * KiB)
    spoken.reads(carried * KiB)
    assert.strictEqual(connection.takeAdded(), added * KiB, what)
    assert.strictEqual(connection.takeAdded(), 0, what)
  }
  const { reads, socket } = counted()
  const handshaking = new Connection(socket, true)
  const plain = new Connection(socket, false)
  reads(200 * KiB)
  assert.strictEqual(handshaking.takeAdded(), 200 * KiB, "a handshake that does not end")
  assert.strictEqual(plain.takeAdded(), 0, "a plane without TLS")
})
