import { Predicate } from "effect"
import { readFile } from "node:fs/promises"
import type { Socket } from "node:net"

/**
 * A fingerprint of a socket's write progress: the string changes with any progress. Node has no public count of the
 * bytes inside a pending write, so this reads the handle; `listener.test.ts` fails on a Node version without it.
 */
export const writtenOf = (socket: Socket): string => {
  const handle: unknown = Reflect.get(socket, "_handle")
  if (!Predicate.isObject(handle)) return ""
  return `${String(Reflect.get(handle, "bytesWritten"))}/${String(Reflect.get(handle, "writeQueueSize"))}`
}

/** Bytes that peers have not acknowledged, by the ports of a connection. */
export type Unacknowledged = ReadonlyMap<string, string>

/** The key of a connection in {@link unacknowledged}. */
export const portsOf = ({ localPort, remotePort }: Pick<Socket, "localPort" | "remotePort">): string =>
  `${localPort}:${remotePort}`

const files = ["/proc/net/tcp", "/proc/net/tcp6"] as const

/**
 * The unsent and unacknowledged bytes that the kernel holds for every connection (proc(5), `tx_queue`); undefined
 * where the file does not exist. Linux keeps up to 4 MB for a connection and takes more only when a third of it is
 * free, so to the process a reader of 40 kB/s appears to read nothing for half a minute.
 */
export const unacknowledged = async (): Promise<Unacknowledged | undefined> => {
  const texts = await Promise.all(files.map((_) => readFile(_, "latin1").catch(() => undefined)))
  if (texts.every((_) => _ === undefined)) return undefined
  const queues = new Map<string, string>()
  for (const line of texts.flatMap((_) => (_ ?? "").split("\n"))) {
    const [, local = "", remote = "", , queue = ""] = line.trim().split(/\s+/)
    const [own, peer] = [local, remote].map((_) => Number.parseInt(_.split(":")[1] ?? "", 16))
    const key = `${own}:${peer}`
    // Two clients may use the same port at different addresses. Progress of either counts for both.
    queues.set(key, `${queues.get(key) ?? ""}${queue.split(":")[0]}`)
  }
  return queues
}
