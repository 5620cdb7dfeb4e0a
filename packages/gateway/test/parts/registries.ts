import { Effect } from "effect"
import { existsSync } from "node:fs"
import { parse } from "yaml"
import { TestGateway } from "../harness/TestGateway.ts"
import { execute } from "../harness/Tls.ts"
import { freePort } from "../limits/redis.ts"
import { textOf } from "../processes/Document.ts"
import { answers, folder, isInstalled, serving } from "./parts.ts"

const document = textOf("docs/operators/registry.md")

/** The configuration that operators are told to use, by the name of its section. */
const configurationIn = (section: string): string => {
  const [, text = ""] = document.split(new RegExp(`^##+ ${section}$`, "m"))
  return /^```yaml\n([^]*?)^```$/m.exec(text)?.[1] ?? ""
}

/** A stock registry that takes the gateway's tokens. */
export interface Registry {
  readonly isHere: boolean
  readonly name: string
  readonly program: ReadonlyArray<string>
  readonly section: string
}

const v3 = "/opt/portico-parts/registry/registry-3.0.0"

export const registries: ReadonlyArray<Registry> = [
  {
    name: "distribution 2.8",
    program: ["docker-registry"],
    section: "Distribution 2.8",
    isHere: isInstalled("docker-registry", "--version") && isInstalled("jq", "--version")
  },
  { name: "distribution v3", program: [v3], section: "The registry's configuration", isHere: existsSync(v3) }
]

/** The file of keys, made by the very commands of the document; v3 gets the set as it is. */
const keysFor = Effect.fnUntraced(function* (file: string) {
  const { url } = yield* TestGateway
  const [, commands = ""] = /(curl -fsS \S+ \|\n.*?) >keys\.new$/ms.exec(document) ?? []
  const fetched = file.endsWith(".pem") ? commands : "curl -fsS https://api.cloud.example/v1/registry/jwks"
  const { code, err, out } = yield* execute("sh", ["-c", fetched.replaceAll("https://api.cloud.example", url.customer)])
  if (code !== 0) return yield* Effect.die(new Error(`no keys: ${err}`))
  return out
})

/**
 * The registry with the document's configuration: other addresses and folders, and nothing else.
 *
 * @param asks whether it asks for tokens, as the document has it
 */
export const started = Effect.fnUntraced(function* ({ program, section }: Registry, asks = true) {
  const { url } = yield* TestGateway
  const { at, path, write } = yield* folder
  const port = yield* freePort
  const configuration = parse(configurationIn(section))
  configuration.storage.filesystem.rootdirectory = at("images")
  configuration.http.addr = `127.0.0.1:${port}`
  const { token } = configuration.auth
  token.realm = token.realm.replace("https://api.cloud.example", url.customer)
  const keys = token.jwks === undefined ? "rootcertbundle" : "jwks"
  token[keys] = write(keys === "jwks" ? "jwks.json" : "keys.pem", yield* keysFor(token[keys]))
  if (!asks) delete configuration.auth
  const file = write("config.yml", JSON.stringify(configuration))
  const host = `127.0.0.1:${port}`
  yield* serving([...program, "serve", file], () => answers(`http://${host}/v2/`, asks ? 401 : 200), {
    settings: { OTEL_TRACES_EXPORTER: "none" }
  })
  return { at, host, path }
})
