import { operationsFor } from "@portico/client/catalogue/operationsFor"
import { areas } from "@portico/contract/areas"
import { failureTable } from "@portico/contract/Failures"
import react from "@vitejs/plugin-react"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { InlineConfig, Plugin } from "vite"
import { descriptionsOf } from "./descriptions.ts"

export type PlaneName = "customer" | "operator"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Modules whose content is computed from the contract, so that pages need none of its schemas. */
const computed = (sources: Readonly<Record<string, () => string>>): Plugin => ({
  name: "computed-modules",
  resolveId: (id) => (Object.hasOwn(sources, id) ? `\0${id}` : null),
  load: (id) => sources[id.slice(1)]?.() ?? null
})

const textOf = (plane: PlaneName) => readFileSync(`${root}../contract/generated/openapi.${plane}.json`, "utf8")
const documentOf = (plane: PlaneName) => JSON.parse(textOf(plane))

/** Without the codes that the other plane's document alone names. Those in neither document are not of one operation. */
const failuresOf = (plane: PlaneName) => {
  const [own, other] = [textOf(plane), textOf(plane === "customer" ? "operator" : "customer")]
  const foreign = (code: string) => other.includes(`"${code}"`) && !own.includes(`"${code}"`)
  const rows = failureTable.filter(({ code }) => !foreign(code))
  return Object.fromEntries(rows.map(({ cause, code, fix }) => [code, { cause, fix }] as const))
}

/**
 * One build of the console for each plane: `#plane` is the only import that
 * differs, so that the customers' console has no code of the operators'.
 */
export const configOf = (plane: PlaneName, outDir: string): InlineConfig => ({
  root,
  base: "/console/",
  configFile: false,
  publicDir: false,
  logLevel: "warn",
  // Texts are spelled out on their way to the page, whatever component they are a part of.
  resolve: { alias: { "#plane": `${root}src/planes/${plane}.tsx`, "#jsx": `${root}src/jsx` } },
  plugins: [
    react({ jsxImportSource: "#jsx" }),
    computed({
      "virtual:areas": () => `export const areas = ${JSON.stringify(areas)}`,
      "virtual:failures": () => `export const failures = ${JSON.stringify(failuresOf(plane))}`,
      "virtual:operations": () => `export const operations = ${JSON.stringify(operationsFor(documentOf(plane)))}`,
      "virtual:descriptions": () => `export const descriptions = ${JSON.stringify(descriptionsOf(documentOf(plane)))}`
    })
  ],
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    // Browsers that know light-dark(). For older ones it is rewritten to follow the system alone, and never the person's choice.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The content security policy allows no data: addresses of scripts, fonts or styles.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    modulePreload: { polyfill: false }
  }
})
