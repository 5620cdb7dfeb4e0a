import { createRequire } from "node:module"
import { routes } from "../names.ts"

interface App {
  readonly register: (plugin: unknown, options: object) => unknown
  readonly listen: (options: { readonly port: number; readonly host: string }) => Promise<string>
}

// Required, not imported: the types of Fastify are a thirtieth of the check of all types.
const require = createRequire(import.meta.url)
const fastify: (options: { readonly logger: false }) => App = require("fastify")
const proxy: unknown = require("@fastify/http-proxy")

// @fastify/http-proxy as its documentation recommends it: undici, its pool written down, no logger.

const upstream = process.argv[2] ?? ""
const app = fastify({ logger: false })
for (const route of routes) {
  app.register(proxy, {
    upstream,
    prefix: route.public,
    rewritePrefix: route.origin,
    undici: { connections: 128, pipelining: 1, keepAliveTimeout: 60_000 }
  })
}
console.log(JSON.stringify({ url: await app.listen({ port: 0, host: "127.0.0.1" }) }))
