import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { errorsPage } from "../../../scripts/errors.ts"

it("docs/tenants/errors.md is what the table of codes says; `node scripts/errors.ts` writes it", () => {
  assert.strictEqual(readFileSync(new URL("../../../docs/tenants/errors.md", import.meta.url), "utf8"), errorsPage)
})
