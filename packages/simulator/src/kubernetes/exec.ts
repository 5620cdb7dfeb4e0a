import { Result } from "effect"
import { objectAt, stringAt } from "../Json.ts"
import type { Answer, Session, Socket, Step } from "../Wire.ts"
import { containersOf, isRunning } from "./pods.ts"
import type { Request } from "./request.ts"
import { flag } from "./requestInfo.ts"
import { badRequest, failureStatus, refuse } from "./status.ts"
import { current } from "./update.ts"

/** The first byte of a frame is the number of the stream. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const

const remoteCommand = ["v5.channel.k8s.io", "v4.channel.k8s.io"]
const portForward = ["v4.channel.k8s.io", "portforward.k8s.io"]

/**
 * The simulator upgrades to WebSocket only. It answers SPDY/3.1 as a server without SPDY does: no upgrade was
 * requested.
 */
const upgradeRequired = badRequest("Upgrade request required")

const agreed = ({ incoming }: Request, known: ReadonlyArray<string>): Step<string> => {
  const { headers } = incoming
  const asks =
    headers["upgrade"]?.toLowerCase() === "websocket" &&
    headers["connection"]?.toLowerCase().includes("upgrade") === true
  if (!asks) return upgradeRequired
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((_) => _.trim())
  const found = known.find((_) => offered.includes(_))
  return found === undefined
    ? refuse(
        403,
        "Forbidden",
        `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}]`
      )
    : Result.succeed(found)
}

const frame = (number: number, bytes: Uint8Array | string): Uint8Array =>
  Buffer.concat([Buffer.from([number]), Buffer.from(bytes)])

const upgraded = (protocol: string, open: (socket: Socket) => Session): Answer => ({
  status: 101,
  headers: {},
  body: "",
  upgrade: { protocol, open }
})

/** The pod, if the requested container runs in it. */
const target = (request: Request): Step<void> =>
  Result.gen(function* () {
    const pod = yield* current(request)
    const wanted = request.incoming.query.get("container") ?? ""
    const names = containersOf(pod).map((_) => stringAt(_, "name") ?? "")
    if (wanted !== "" && !names.includes(wanted)) {
      return yield* badRequest(`container ${wanted} is not valid for pod ${pod.metadata.name}`)
    }
    if (isRunning(pod)) return
    const reason = `unable to upgrade connection: container not found ("${wanted || names[0] || ""}")`
    return yield* refuse(500, "InternalError", `Internal error occurred: ${reason}`)
  })

const success = { metadata: {}, status: "Success" }

const exited = (code: number) => ({
  ...failureStatus(500, "NonZeroExitCode", `command terminated with non-zero exit code: exit status ${code}`, {
    causes: [{ reason: "ExitCode", message: String(code) }]
  })
})

interface Process {
  readonly stdout?: string
  readonly stderr?: string
  /** The process of a command that ends; any other command echoes its input until the input ends. */
  readonly code?: number
}

const run = ([program = "", ...args]: ReadonlyArray<string>): Process => {
  switch (program) {
    case "echo":
      return { stdout: `${args.join(" ")}\n`, code: 0 }
    case "cat":
      return {}
    case "true":
      return { code: 0 }
    case "false":
      return { code: 1 }
    case "exit":
      return { code: Number(args[0] ?? 0) }
    default:
      return { stderr: `${program}: command not found\n`, code: 127 }
  }
}

/** `pods/exec`: a simulated process, over a WebSocket. */
export const exec = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query } = request.incoming
    const protocol = yield* agreed(request, remoteCommand)
    const command = query.getAll("command")
    if (command.length === 0)
      return yield* badRequest("you must specify at least 1 container for exec: command required")
    yield* target(request)
    return upgraded(protocol, (socket) => attached(socket, run(command), flag(query, "stdin")))
  })

/** `pods/attach`: the container echoes its input and keeps running. */
export const attach = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const protocol = yield* agreed(request, remoteCommand)
    yield* target(request)
    return upgraded(protocol, (socket) => attached(socket, {}, true))
  })

const attached = (socket: Socket, process: Process, stdin: boolean): Session => {
  const end = (code: number) => {
    socket.send(frame(channel.error, JSON.stringify(code === 0 ? success : exited(code))))
    socket.close(1000)
  }
  // Each stream begins with an empty frame, which tells the client that the stream is open.
  for (const number of [channel.stdout, channel.stderr, channel.error]) socket.send(frame(number, ""))
  if (process.stdout !== undefined) socket.send(frame(channel.stdout, process.stdout))
  if (process.stderr !== undefined) socket.send(frame(channel.stderr, process.stderr))
  if (process.code !== undefined) end(process.code)
  else if (!stdin) end(0)
  return {
    receive: (bytes) => {
      const [number] = bytes
      if (process.code !== undefined || !stdin) return
      if (number === channel.stdin && bytes.length > 1) socket.send(frame(channel.stdout, bytes.subarray(1)))
      // Only version 5 of the protocol can close an input without closing the connection.
      if (number === channel.close && bytes[1] === channel.stdin) end(0)
    }
  }
}

/**
 * `pods/portforward` in its WebSocket framing: two channels a port, for data and for errors; each begins with
 * the port in two bytes. Every port echoes its data. SPDY in a tunnel (`SPDY/3.1+portforward.k8s.io`) is not
 * supported.
 */
export const portforward = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query } = request.incoming
    const protocol = yield* agreed(request, portForward)
    const ports = query
      .getAll("ports")
      .flatMap((_) => _.split(","))
      .map(Number)
    if (ports.length === 0) return yield* badRequest('query parameter "ports" is required')
    const wrong = ports.find((_) => !Number.isInteger(_) || _ < 1 || _ > 65_535)
    if (wrong !== undefined) return yield* badRequest(`unable to parse "${wrong}" as a port`)
    yield* target(request)
    return upgraded(protocol, (socket) => {
      for (const [index, port] of ports.entries()) {
        const bytes = Buffer.from([port & 0xff, port >> 8])
        socket.send(frame(2 * index, bytes))
        socket.send(frame(2 * index + 1, bytes))
      }
      return {
        receive: (bytes) => {
          const [number = 1] = bytes
          if (number % 2 === 0 && number / 2 < ports.length) socket.send(bytes)
        }
      }
    })
  })

/** `proxy` sub-resources: the connection is refused, because nothing listens. */
export const proxied = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { info, kind } = request
    if (kind.plural === "services") {
      const [name = ""] = info.name.split(":").filter((_) => _ !== "http" && _ !== "https")
      yield* current({ ...request, info: { ...info, name } })
      return yield* refuse(503, "ServiceUnavailable", `no endpoints available for service "${info.name}"`)
    }
    const [name = "", port = kind.plural === "nodes" ? "10250" : "80"] = info.name.split(":")
    const thing = yield* current({ ...request, info: { ...info, name } })
    const address = stringAt(objectAt(thing, "status"), "podIP") ?? "192.0.2.10"
    const why = `dial tcp ${address}:${port}: connect: connection refused`
    return yield* refuse(503, "ServiceUnavailable", `error trying to reach service: ${why}`)
  })
