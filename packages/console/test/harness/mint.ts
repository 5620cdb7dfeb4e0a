import { assert } from "vitest"
import type { Demo } from "./Demo.ts"

/** Mints a credential by the API, as a script would, for something to happen. */
export const mint = async ({ dev }: Demo, label: string): Promise<void> => {
  const answer = await fetch(`${dev.customer_url}/v1/credentials`, {
    method: "POST",
    headers: { authorization: `Bearer ${dev.tenants[0]?.tokens.tier2 ?? ""}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "api-key", tier: 0, label })
  })
  assert.strictEqual(answer.status, 201, await answer.text())
}
