import { readFileSync } from "node:fs"
import type { Catalogue } from "@portico/client/catalogue/Catalogue"
import { catalogOf } from "@portico/client/catalogue/catalogOf"
import type { Document } from "@portico/client/catalogue/Document"

// The bundle has another module in the place of this one, with the same single export: the catalogue as it was when the
// bundle was made, `export const catalogue = JSON.parse("…")` of `JSON.stringify(catalogOf(document))`. What is imported
// here is then not part of the bundle.

const document: Document = JSON.parse(
  readFileSync(new URL("../../../contract/generated/openapi.operator.json", import.meta.url), "utf8")
)

/** All operations of both planes. */
export const catalogue: Catalogue = catalogOf(document)
