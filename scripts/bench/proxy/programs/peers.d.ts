// What the programs use of the packages of scripts/bench/package.json, which `npm run bench` installs, so that types are
// checked without them too.

declare module "autocannon" {
  interface Load {
    readonly url: string
    readonly method: "GET" | "POST"
    readonly headers: Readonly<Record<string, string>>
    readonly connections: number
    readonly duration: number
    readonly body?: Buffer
    readonly requests?: ReadonlyArray<{ readonly headers: Readonly<Record<string, string>> }>
  }
  interface Result {
    readonly "2xx": number
    readonly non2xx: number
    readonly errors: number
    readonly timeouts: number
    readonly duration: number
    readonly latency: { readonly p50: number; readonly p99: number }
  }
  const autocannon: (load: Load) => Promise<Result>
  export default autocannon
}

declare module "@fastify/http-proxy" {
  const proxy: object
  export default proxy
}

declare module "fastify" {
  interface Server {
    readonly register: (plugin: object, options: object) => void
    readonly listen: (address: { readonly port: number; readonly host: string }) => Promise<string>
  }
  const fastify: (options: { readonly logger: boolean }) => Server
  export default fastify
}
