import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem, Schema } from "effect"
import { join } from "node:path"
import { atOrigin, routes } from "./names.ts"
import { roomy } from "../processes.ts"
import { unlimited } from "../requests.ts"
import { freePort, installed, onNode, type Program, running, urlIn } from "./processes.ts"

/** Something that stands before the origin, in a process of its own. */
export interface Contender {
  readonly name: string
  readonly pid: number
  /** The address of one of the public paths. */
  url(path: string): string
  /** The end of what it said. */
  said(): string
}

/** By these they are told apart. */
export const names = {
  origin: "the origin itself",
  bare: "bare undici",
  fastify: "@fastify/http-proxy",
  nginx: "nginx",
  portico: "Portico"
} as const

class ContenderFailed extends Schema.TaggedError<ContenderFailed>()("ContenderFailed", { message: Schema.String }) {}

/** A failure of what was asked of a contender, with its own last words. */
export const askedOf = <A, E extends Error, R>({ name, said }: Contender, effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    ({ message }) => new ContenderFailed({ message: `${name} failed: ${message}\nIts own words:\n${said()}` })
  )

const contender = (name: string, { pid, said, up }: { pid: number; up: string; said: () => string }): Contender => ({
  name,
  pid,
  said,
  url: (path) => `${up}${path}`
})

/**
 * The origin itself, without anything before it.
 *
 * @param delay milliseconds that it takes for a write
 */
export const originOn = (cpus: string | undefined, delay = 0) =>
  Effect.map(
    running({ name: "the origin", cpus, ...onNode("scripts/bench/proxy/programs/origin.ts", [String(delay)]) }, urlIn),
    ({ pid, said, up }) => ({
      name: names.origin,
      pid,
      said,
      up,
      url: (path: string) => `${up}${atOrigin(path)}`
    })
  )

const peer = (name: string, program: string) => (origin: string, cpus: string | undefined) =>
  Effect.map(running({ name, cpus, ...onNode(`scripts/bench/proxy/programs/${program}`, [origin]) }, urlIn), (_) =>
    contender(name, _)
  )

export const bare = peer(names.bare, "bare.ts")
export const fastify = peer(names.fastify, "fastify.ts")

/** One worker, connections kept alive on both sides, nothing buffered on disk, no log. */
const nginxConfig = (directory: string, port: number, origin: string) => `
daemon off;
master_process off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr notice;
events { worker_connections 4096; }
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((_) => `${_}_temp_path ${directory}/${_};`).join("\n  ")}
  client_max_body_size 0;
  keepalive_timeout 600s;
  keepalive_requests 100000000;
  upstream origin {
    server ${new URL(origin).host};
    keepalive 128;
    keepalive_timeout 600s;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_request_buffering off;
    proxy_max_temp_file_size 0;
    ${routes.map((_) => `location ${_.public}/ { proxy_pass http://origin${_.origin}/; }`).join("\n    ")}
  }
}
`

/** Undefined where nginx is not installed. */
export const nginx = Effect.fnUntraced(function* (directory: string, origin: string, cpus: string | undefined) {
  const command = yield* installed("nginx")
  if (command === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const port = yield* freePort
  const file = join(directory, "nginx.conf")
  yield* fs.writeFileString(file, nginxConfig(directory, port, origin))
  const program: Program = { name: names.nginx, command, args: ["-p", directory, "-c", file], cpus }
  const started = yield* running(program, (said) =>
    said.includes("event method") ? `http://127.0.0.1:${port}` : undefined
  )
  return contender(names.nginx, started)
})

/**
 * Portico as in production: both planes, every setting at its default but for
 * the rate limit, which no load would fit into, and those given; the platform's
 * services at the origin.
 */
export const portico = Effect.fnUntraced(function* (options: {
  readonly name: string
  readonly origin: string
  readonly identity: string
  readonly database: string
  readonly cpus: string | undefined
  readonly flags?: ReadonlyArray<string>
  readonly settings?: Readonly<Record<string, string>>
  /** Another program than the usual one. */
  readonly main?: string
}) {
  const { cpus, database, flags, identity, main = "packages/gateway/src/main.ts", name, origin, settings } = options
  const env = {
    ...gatewaySettings(identity),
    ...unlimited,
    ...roomy,
    ...Object.fromEntries(routes.map((_) => [_.setting, `${origin}${_.origin}`])),
    DATABASE_URL: database,
    CUSTOMER_PORT: "0",
    OPERATOR_PORT: "0",
    AGENT_PORT: "0",
    ...settings
  }
  const program: Program = { name, cpus, env, ...onNode(main, [], flags) }
  return contender(name, yield* running(program, (said) => /"customer_url":"([^"]+)"/.exec(said)?.[1]))
})
