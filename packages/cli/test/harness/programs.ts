import { join } from "node:path"
import { placed } from "../../../gateway/test/processes/bundles.ts"
import { programsOf } from "../../../../scripts/packages/bundle.ts"
import { packages } from "../../../../scripts/packages/workspace.ts"

const files = await Promise.all(packages.filter(({ folder }) => folder === "cli").map(programsOf))
const directory = placed(files.flat())

/** `portico` as it is published: in one file, which is up in half the time of its sources. */
export const portico = join(directory, "portico.js")
