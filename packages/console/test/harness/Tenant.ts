import { createClient, type Portico } from "@portico/client"
import { assert } from "vitest"
import type { Demo } from "./Demo.ts"

/** The API as a tenant has it, for what a story finds when it begins. */
export const apiOf = ({ dev }: Demo, slug = "acme", holder: "tier2" | "owner" = "tier2"): Portico => {
  const tenant = dev.tenants.find((_) => _.slug === slug)
  return createClient({ url: dev.customer_url, token: tenant?.tokens[holder] ?? "" })
}

/** Acme as it is after a while: a database, a zone, a bucket with objects, a webhook, keys; and Initech asks to join. */
export const inUse = async (demo: Demo): Promise<{ readonly zone_id: string }> => {
  const portico = apiOf(demo)
  await portico.databases.create({ engine: "postgres", name: "orders", version: "17", size_gb: 20 })
  const { zone_id } = await portico.dns.createZone({ name: "acme-shop.example.", email: "hostmaster@acme.example" })
  for (const [name, type, record] of [
    ["@", "A", "203.0.113.20"],
    ["www", "CNAME", "acme-shop.example."],
    ["@", "MX", "10 mail.acme-shop.example."]
  ] as const)
    await portico.dns.createRecordset({ zone_id, name, type, ttl: 300, records: [record] })
  await portico.objectStorage.createBucket({ name: "acme-media" })
  await portico.objectStorage.setCors({
    name: "acme-media",
    rules: [{ allowed_origins: [demo.dev.customer_url], allowed_methods: ["GET", "PUT"], allowed_headers: ["*"] }]
  })
  for (const key of ["2026/catalogue.pdf", "2026/summer.jpg", "logo.svg", "readme.txt"]) await uploaded(portico, key)
  await portico.webhooks.create({
    url: "https://duty.acme.example/alarms",
    description: "Calls whoever is on duty",
    topics: ["alarms"]
  })
  await portico.signup.request({ email: "ann@initech.example", org_name: "Initech" })
  await portico.credentials.mint({ kind: "api-key", tier: 1, label: "deployment" })
  await portico.credentials.mint({ kind: "api-key", tier: 0, label: "backup" })
  return { zone_id }
}

const uploaded = async (portico: Portico, key: string): Promise<void> => {
  const content_type = "application/octet-stream"
  const body = key.repeat(400)
  const { headers, url } = await portico.objectStorage.presignUpload({
    name: "acme-media",
    key,
    content_length: body.length,
    content_type
  })
  const { status } = await fetch(url, { method: "PUT", body, headers })
  assert.strictEqual(status, 200, key)
}
