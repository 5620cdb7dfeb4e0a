import { tenantRole } from "@portico/domain/credentials/machineUser"
import { fixtures } from "@portico/simulator/Fixtures"
import { createServer } from "node:http"
import { numberOf, sessionOf, userOf } from "../names.ts"
import { announced } from "./announce.ts"

// An identity provider and a Keystone that know numbered tokens and any project, however many, and count what they are asked.

type Kind = "introspections" | "logins"

const counts: Record<Kind, number> = { introspections: 0, logins: 0 }
/** While a kind is held its answers wait here. */
const held: Record<Kind, Array<() => void> | undefined> = { introspections: undefined, logins: undefined }

const count = (kind: Kind, answer: () => void) => {
  counts[kind]++
  const waiting = held[kind]
  if (waiting === undefined) answer()
  else waiting.push(answer)
}

const release = (kind: Kind) => {
  const waiting = held[kind] ?? []
  held[kind] = undefined
  for (const answer of waiting) answer()
}

const isKind = (text: string): text is Kind => text in counts

const { idp, adminProjectId, control } = fixtures

/** RFC 7662, as Zitadel fills it in. */
const introspected = (token: string, now: number) => {
  const number = numberOf(token)
  if (number === undefined) return { active: false }
  const roles = { [tenantRole]: { [idp.orgId]: "cloud.example" } }
  return {
    active: true,
    scope: "openid urn:zitadel:iam:org:projects:roles",
    client_id: "",
    token_type: "Bearer",
    exp: now + 86_400,
    iat: now - 60,
    nbf: now - 60,
    sub: userOf(number),
    aud: [idp.introspection.clientId, idp.projectId],
    iss: "http://127.0.0.1/idp",
    jti: `3${userOf(number).slice(1)}`,
    username: `bench-${number}`,
    "urn:zitadel:iam:org:project:roles": roles,
    [`urn:zitadel:iam:org:project:${idp.projectId}:roles`]: roles
  }
}

const projectAsked = (body: string): string => {
  const asked: { auth?: { scope?: { project?: { id?: string } } } } = JSON.parse(body)
  return asked.auth?.scope?.project?.id ?? adminProjectId
}

const loggedIn = (projectId: string, now: Date) => {
  const domain = { id: fixtures.domainId, name: "Default" }
  const admin = projectId === adminProjectId
  return {
    token: {
      methods: ["password"],
      user: { id: control.userId, name: admin ? control.name : `gw-${projectId}`, domain, password_expires_at: null },
      project: { id: projectId, name: projectId, domain },
      roles: [{ id: fixtures.roles.member, name: admin ? "admin" : "member" }],
      audit_ids: ["3T2dc1CGQxyJsHdDu1xkcw"],
      catalog: [],
      is_domain: false,
      issued_at: now.toISOString().replace("Z", "000Z"),
      expires_at: new Date(now.getTime() + 3_600_000).toISOString().replace("Z", "000Z")
    }
  }
}

const listener = createServer((from, to) => {
  let body = ""
  from.setEncoding("utf8").on("data", (text: string) => {
    body += text
  })
  const answer = (status: number, value: unknown, headers: Record<string, string> = {}) => {
    const text = JSON.stringify(value)
    to.writeHead(status, {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      ...headers
    }).end(text)
  }
  from.on("end", () => {
    const path = from.url ?? ""
    const [, first = "", second = ""] = path.split("/")
    if (path === "/idp/oauth/v2/introspect") {
      const token = new URLSearchParams(body).get("token") ?? ""
      return count("introspections", () => answer(200, introspected(token, Math.floor(Date.now() / 1000))))
    }
    if (path === "/identity/v3/auth/tokens") {
      const projectId = projectAsked(body)
      return count("logins", () =>
        answer(201, loggedIn(projectId, new Date()), { "x-subject-token": sessionOf(projectId) })
      )
    }
    if (path === "/counts") return answer(200, counts)
    if (first === "hold" && isKind(second)) held[second] = []
    else if (first === "release" && isKind(second)) release(second)
    else return answer(404, { error: { code: 404, title: "Not Found", message: `There is no ${path} here.` } })
    answer(200, {})
  })
})

listener.keepAliveTimeout = 600_000
announced(listener)
