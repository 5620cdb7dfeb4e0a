import { auditTopic, lifecycleTopic } from "@portico/contract/Events"
import { assert, it } from "@effect/vitest"
import { type Call, Evidence } from "../evidence.ts"
import { checks } from "../invariants/all.ts"
import { type Facts, holds, type LoggedEvent } from "../invariants/check.ts"

const project = "p1"

const event = (sequence: number, more: Partial<LoggedEvent>): LoggedEvent => ({
  id: `e${sequence}`,
  sequence,
  topic: lifecycleTopic,
  kind: "server.create",
  key: `s${sequence}`,
  project_id: project,
  request_id: null,
  status: null,
  ...more
})

const call = (more: Partial<Call>): Call => ({
  sentAt: 1_000,
  endedAt: 1_020,
  method: "POST",
  area: "servers",
  path: "/v1/iaas/compute/servers",
  status: 202,
  code: undefined,
  requestId: "r1",
  process: "a1",
  tenant: "Acme",
  replayed: false,
  retryAfter: undefined,
  ...more
})

/** A run in which all is well, as small as can be. */
const good = () => {
  const evidence = new Evidence()
  evidence.processes.push({ name: "a1", startedAt: 0, readyAt: 1, endedAt: 90_000, expected: true, how: "0" })
  evidence.calls.push(
    call({}),
    call({
      area: "too many calls",
      method: "GET",
      path: "/v1/whoami",
      status: 429,
      requestId: "r429",
      code: "rate_limited",
      retryAfter: 30
    })
  )
  evidence.received.push({ webhook: "acme", eventId: "e1", at: 1_100, signature: "good", answered: 204 })
  evidence.tails.push({ tenant: "Acme", projectId: project, ids: ["e1", "e3"] })
  evidence.knows("bucket", "b1", "Acme", "there")
  evidence.granted.push({ at: 1, cores: 8, limit: 8 })
  for (let look = 0; look < 9; look++)
    evidence.settled.push({ at: look, process: "a1", heapMib: 100, rssMib: 300, descriptors: 40 })
  const facts: Facts = {
    events: [
      event(1, { request_id: "r1" }),
      event(2, { topic: auditTopic, kind: "api.call", request_id: "r1", status: 202 }),
      event(3, { topic: "iam.credentials", kind: "credential.created" })
    ],
    deliveries: [
      { target_id: "t1", event_id: "e1", state: "delivered", given_up: null },
      { target_id: "t1", event_id: "e3", state: "failed", given_up: null }
    ],
    lasting: [{ webhook: "acme", targetId: "t1", projectId: project, fromSequence: 0, state: "active" }],
    tenants: [{ slug: "acme", project_id: project, stamp: "portico-attempt:1" }],
    users: ["u1"],
    underWay: [],
    listed: new Set(["bucket b1"]),
    listings: new Set(["bucket Acme"]),
    drifted: [],
    compared: 1,
    lastSequence: 3,
    ledger: ["e1"],
    cloud: [
      { kind: "keystone.projects", key: project, text: "{}" },
      { kind: "zitadel.users", key: "u1", text: "{}" }
    ],
    emptied: {},
    rowsLeft: []
  }
  return { evidence, facts }
}

/** The checks that do not hold, by name. */
const broken = ({ evidence, facts }: ReturnType<typeof good>): ReadonlyArray<string> =>
  checks
    .map((check) => check(evidence, facts))
    .filter((_) => !holds(_))
    .map((_) => _.check)

/** What of an untouched cloud the small run does not have: it is said to be missing, which is no concern here. */
const untouched = (run: ReturnType<typeof good>) => broken(run).filter((_) => _ !== "clean slate")

it("a run in which all is well passes", () => assert.deepStrictEqual(untouched(good()), []))

/** Each check, and what breaks it. */
const breaches: ReadonlyArray<readonly [check: string, what: string, (run: ReturnType<typeof good>) => unknown]> = [
  ["no crash", "a process that ends by itself", ({ evidence }) => (evidence.processes[0]!.expected = false)],
  ["no 500", "a 500", ({ evidence }) => evidence.calls.push(call({ method: "GET", status: 500 }))],
  ["no complaint", "a complaint", ({ evidence }) => evidence.complaints.push("an event is lost")],
  [
    "audited",
    "a write without its record",
    ({ evidence }) => evidence.calls.push(call({ requestId: "r2", path: "/v1/x" }))
  ],
  ["audited", "a record with another status", ({ facts }) => Object.assign(facts.events[1]!, { status: 201 })],
  [
    "charged once",
    "an act with two events",
    ({ facts }) => Object.assign(facts, { events: [...facts.events, event(4, { request_id: "r1", key: "s1" })] })
  ],
  ["charged once", "an event that the billing service lacks", ({ facts }) => Object.assign(facts, { ledger: [] })],
  ["charged once", "an act without an event", ({ facts }) => Object.assign(facts.events[0]!, { request_id: "r9" })],
  [
    "delivered",
    "an event without a delivery",
    ({ facts }) => Object.assign(facts, { deliveries: facts.deliveries.slice(0, 1) })
  ],
  ["delivered", "a delivery that never arrived", ({ evidence }) => (evidence.received.length = 0)],
  ["delivered", "a wrong signature", ({ evidence }) => Object.assign(evidence.received[0]!, { signature: "wrong" })],
  ["streamed", "a stream that repeats", ({ evidence }) => evidence.tails[0]!.ids.push("e3")],
  [
    "streamed",
    "a stream that leaves an event out",
    ({ facts }) => Object.assign(facts.events[1]!, { topic: "alarms" })
  ],
  ["nothing lost", "a bucket that vanished", ({ facts }) => Object.assign(facts, { listed: new Set() })],
  ["nothing lost", "a bucket that came back", ({ evidence }) => evidence.knows("bucket", "b1", "Acme", "gone")],
  ["at rest", "an onboarding that is stuck", ({ facts }) => Object.assign(facts, { underWay: ["it is stuck"] })],
  ["no drift", "a quota that differs", ({ facts }) => Object.assign(facts, { drifted: ["cores"] })],
  [
    "no orphan",
    "a project without a tenant",
    ({ facts }) => Object.assign(facts, { cloud: [{ kind: "keystone.projects", key: "lost", text: "{}" }] })
  ],
  ["never oversold", "one core too many", ({ evidence }) => evidence.granted.push({ at: 2, cores: 9, limit: 8 })],
  [
    "rate holds",
    "a call within a full window",
    ({ evidence }) =>
      evidence.calls.push(call({ area: "too many calls", method: "GET", sentAt: 2_000, endedAt: 2_010, status: 200 }))
  ],
  [
    "flat",
    "a heap that grows by six in a hundred",
    ({ evidence }) => evidence.settled.slice(6).map((_) => Object.assign(_, { heapMib: 106 }))
  ],
  [
    "flat",
    "descriptors that leak",
    ({ evidence }) => evidence.settled.slice(6).map((_) => Object.assign(_, { descriptors: 43 }))
  ]
]

for (const [check, what, breach] of breaches) {
  it(`${check}: broken by ${what}`, () => {
    const run = good()
    breach(run)
    assert.include(untouched(run), check)
  })
}

it("clean slate: broken by resources left in the cloud, and by rows", () => {
  const clean = checks.at(-4)!
  const at = (facts: Partial<Facts>) => clean(new Evidence(), { ...good().facts, ...facts }).violations
  assert.include(at({ emptied: { "neutron.networks": [{ name: "forgotten" }] } }), "left: neutron.networks forgotten")
  assert.include(at({ rowsLeft: ["a row of tenants: acme"] }), "a row of tenants: acme")
  assert.include(at({ emptied: undefined }), "not every tenant could be deleted")
})

it("a check without any evidence does not hold", () => {
  const { facts } = good()
  assert.isAbove(broken({ evidence: new Evidence(), facts }).length, 8)
})

it("a loss that the documents allow is excused: the process was killed while the database was away", () => {
  const run = good()
  run.evidence.calls.push(call({ method: "PUT", path: "/v1/x", requestId: "r2", sentAt: 89_000, endedAt: 89_100 }))
  run.evidence.disturbances.push({ kind: "postgres restart", what: "regular", from: 88_000, until: 91_000 })
  const finding = checks.map((check) => check(run.evidence, run.facts)).find((_) => _.check === "audited")
  assert.deepStrictEqual([finding?.violations.length, finding?.excused.length], [0, 1])
})
