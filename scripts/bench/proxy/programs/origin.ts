import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { bytesOf, server } from "../names.ts"
import { announced } from "./announce.ts"

// The platform behind every contender: compute at /v2.1, image at /v2, a cluster at /cluster. It does as little as one can.

/** Milliseconds that it takes for a write; none when it is not told. */
const delay = Number(process.argv[2] ?? 0)

/** A server as it is shown: some 430 bytes. */
const shown = Buffer.from(
  JSON.stringify({
    server: {
      id: server,
      name: "web-1",
      status: "ACTIVE",
      tenant_id: "00000000000000000000000000000001",
      user_id: "6a3b2c1d0e9f48b7a6c5d4e3f2a1b0c9",
      created: "2026-03-01T09:30:00Z",
      updated: "2026-03-01T09:31:12Z",
      flavor: { vcpus: 2, ram: 4096, disk: 40, original_name: "m1.medium" },
      addresses: { tenant: [{ version: 4, addr: "10.0.0.12" }] },
      security_groups: [{ name: "default" }]
    }
  })
)
const created = Buffer.from(
  JSON.stringify({ server: { id: server, links: [], security_groups: [{ name: "default" }] } })
)

const headOf = (body: Buffer) => [
  "Content-Type",
  "application/json",
  "Content-Length",
  String(body.length),
  "OpenStack-API-Version",
  "compute 2.1",
  "Vary",
  "OpenStack-API-Version",
  "x-openstack-request-id",
  "req-0d2d1f2e-8a53-4c5e-9c0b-6f0a3f9b7c11"
]
const shownHead = headOf(shown)
const createdHead = headOf(created)

/** Large enough that the kernel does most of the work. */
const chunk = Buffer.alloc(256 * 1024)

/** Gives so many bytes, as fast as they are taken. */
const give = (to: ServerResponse, size: number) => {
  to.writeHead(200, ["Content-Type", "application/octet-stream", "Content-Length", String(size)])
  let left = size
  const more = () => {
    while (left > 0) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk
      left -= part.length
      if (!to.write(part) && left > 0) return void to.once("drain", more)
    }
    to.end()
  }
  more()
}

/** Reads a body to its end and tells its size. */
const take = (from: IncomingMessage, taken: (size: number) => void) => {
  let size = 0
  from.on("data", (part: Buffer) => {
    size += part.length
  })
  from.on("end", () => taken(size))
}

/** A list of images of 9 MB. */
const images = () => {
  const image = {
    id: "0f8e2a4c-1b3d-4e5f-8a9b-0c1d2e3f4a5b",
    name: "debian-13",
    status: "active",
    visibility: "public",
    min_disk: 10,
    properties: "x".repeat(500),
    direct_url: "rbd://pool/images/0f8e2a4c/snap",
    locations: [{ url: "rbd://pool/images/0f8e2a4c/snap", metadata: {} }],
    self: "/v2/images/0f8e2a4c-1b3d-4e5f-8a9b-0c1d2e3f4a5b",
    file: "/v2/images/0f8e2a4c-1b3d-4e5f-8a9b-0c1d2e3f4a5b/file"
  }
  const length = Math.ceil((9 * 1024 * 1024) / JSON.stringify(image).length)
  return Buffer.from(JSON.stringify({ images: Array.from({ length }, () => image), first: "/v2/images" }))
}
let listed: Buffer | undefined

const event = `${JSON.stringify({ type: "MODIFIED", object: { kind: "ConfigMap", metadata: { name: "x".repeat(200) } } })}\n`

/** Namespaces are there, and watches tell something every two seconds. */
const cluster = (path: string, to: ServerResponse) => {
  to.writeHead(200, { "content-type": "application/json" })
  if (!path.includes("watch=")) {
    const [, , , , , name = ""] = path.split("/")
    return void to.end(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } }))
  }
  to.write(event)
  const timer = setInterval(() => to.write(event), 2_000)
  to.once("close", () => clearInterval(timer))
}

const sizeIn = (url: string): number => bytesOf(url.split("/")[3] ?? "")

const listener = createServer((from, to) => {
  const { method, url = "" } = from
  if (url.endsWith("/echo")) {
    to.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(from.headers))
  } else if (url.startsWith("/v2.1/")) {
    if (method === "GET") to.writeHead(200, shownHead).end(shown)
    else {
      const answer = () => void to.writeHead(202, createdHead).end(created)
      take(from, delay === 0 ? answer : () => setTimeout(answer, delay))
    }
  } else if (url.startsWith("/cluster/")) {
    cluster(url, to)
  } else if (method === "GET" && url.startsWith("/v2/images?")) {
    listed ??= images()
    to.writeHead(200, headOf(listed)).end(listed)
  } else if (method === "GET") {
    give(to, sizeIn(url))
  } else {
    take(from, (size) => to.writeHead(size === sizeIn(url) ? 204 : 400).end())
  }
})

// No connection is closed by age: a client that uses one at that moment would see an error that is nobody's fault here.
listener.keepAliveTimeout = 600_000
listener.requestTimeout = 0
announced(listener)
