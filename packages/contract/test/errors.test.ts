import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { errorsPage } from "../../../scripts/errors.ts"

it("docs/tenants/errors.md lists the table of codes; `node scripts/errors.ts` writes it", () => {
  assert.strictEqual(readFileSync(new URL("../../../docs/tenants/errors.md", import.meta.url), "utf8"), errorsPage)
})
