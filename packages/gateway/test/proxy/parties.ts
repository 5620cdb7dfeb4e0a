import { fixtures } from "@portico/simulator/Fixtures"
import { Effect, Layer } from "effect"
import { Logs } from "../harness/Logs.ts"
import { Tap } from "../harness/Tap.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** What a party answers; without the whole body its connection breaks. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
  readonly breaks?: boolean
}

export const project = { id: "0123456789abcdef0123456789abcdef" }
export const user = { id: "fedcba9876543210fedcba9876543210" }
export const platformToken = "platform-token"
/** A token that ends so soon is used once. */
export const [catalog, expires_at] = [[{ url: "http://identity.internal:5000" }], "1970-01-01T00:02:00.000000Z"]
export const [active, sub, exp, email] = [true, "somebody", 4_102_444_800, "somebody@people.example"]
export const roles = { [`urn:zitadel:iam:org:project:${fixtures.idp.projectId}:roles`]: { customer: {} } }

/** Where each party is, and what it answers when all is well. */
export const well = {
  "/odd/idp/": { body: { active, sub, exp, email, ...roles } },
  "/odd/identity/": {
    status: 201,
    headers: { "x-subject-token": platformToken },
    body: { token: { expires_at, project, user, catalog } }
  },
  "/odd/v2/": { body: "fine" }
} satisfies Readonly<Record<string, Reply>>

/** A gateway for one person, before parties that answer as they are told. */
export const Scripted = TestGateway.layerOf(
  Effect.map(Effect.all([Tap, Tap.settings]), ([{ url }, settings]) => ({
    ...settings,
    AUTH_URL: `${url}/odd/idp`,
    IAAS_IDENTITY_URL: `${url}/odd/identity/v3`,
    TENANT_MAP: JSON.stringify({ [sub]: project.id }),
    // Whose limit is in no table is asked for, and this is about what the callers themselves set off.
    RATE_LIMIT: "off"
  }))
).pipe(Layer.provideMerge(Tap.layer), Layer.provideMerge(TestGateway.cloud), Layer.provideMerge(Logs.layer))

export const replying = (replies: Readonly<Record<string, Reply>>) =>
  Effect.flatMap(Tap, (tap) =>
    tap.script((from, to) => {
      const found = Object.entries(replies).find(([prefix]) => from.url?.startsWith(prefix) === true)
      const { body = "", breaks = false, headers = {}, status = 200 } = found?.[1] ?? {}
      const text = typeof body === "string" ? body : JSON.stringify(body)
      if (!breaks) return void to.writeHead(status, headers).end(text)
      to.writeHead(status, { ...headers, "content-length": "1000" }).write(text, () => from.socket.resetAndDestroy())
    })
  )
