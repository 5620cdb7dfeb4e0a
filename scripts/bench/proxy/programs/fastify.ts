import proxy from "@fastify/http-proxy"
import fastify from "fastify"
import { routes } from "../names.ts"

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
