import { Predicate } from "effect"

/** Names of the tests, and what a reader finds in their place. */
const names: ReadonlyArray<readonly [name: RegExp, shown: string]> = [
  [/\b(?:Acme|Initech|Globex|Hooli-\d+) 0\b/g, "monitoring"],
  [/\b(?:Acme|Initech|Globex|Hooli-\d+) 1\b/g, "deploy pipeline"],
  [/\b(?:Acme|Initech|Globex|Hooli-\d+) 2\b/g, "platform team"],
  [/\b(?:Hooli|Closing|Other|doomed|Stuck)(?:-\d+)?\b/g, "Initech"],
  [/\b(?:hooli|closing|other|stuck)-\d+\b/g, "initech"],
  [/\b(?:minted|victim|turned)-\d+\b/g, "nightly backup"],
  [/\boscar Person\b/g, "Oscar Lind"],
  [/\bada Person\b/g, "Ada Moreau"],
  [/people\.example/g, "acme.example"],
  [/\bmatrix-\d+@acme\.example/g, "mia.berg@acme.example"],
  [/\bMatrix \d+\b/g, "Mia Berg"],
  [/ann@signup-\d+\.example/g, "ann@initech.example"],
  [/\bSignup \d+\b/g, "Initech"],
  [/\bmatrix-bucket\b/g, "acme-media"],
  [/\bmatrix-empty\b/g, "acme-scratch"],
  [/\b(?:matrix-\d+|fresh-\d+)\.example\b/g, "acme-shop.example"],
  [/\bhost@matrix\.example\b/g, "hostmaster@acme.example"],
  [/\bhost\.matrix\.example\b/g, "hostmaster.acme.example"],
  [/\bsimulated 500\b/g, "Internal Server Error"],
  [/\bm\d+\.matrix\.example\b/g, "shop.acme.example"],
  [/1970-01-01T00:00:00\.000Z/g, "2026-02-10T08:30:00.000Z"],
  [/\bdns\.simulated\b/g, "dns.portico.example"],
  [/http:\/\/127\.0\.0\.1:\d+\/rgw/g, "https://objects.portico.example"],
  [/http:\/\/127\.0\.0\.1:\d+\/kubernetes/g, "https://cluster.acme.example"],
  [/http:\/\/127\.0\.0\.1:\d+\//g, "https://hooks.acme.example/"],
  [/\b127\.0\.0\.1\b/g, "198.51.100.7"],
  [/\bcluster-\d+\.example\b/g, "cluster.acme.example"],
  [/\ba@b\.example\b/g, "oncall@acme.example"],
  [/^channel$/g, "on-call channel"],
  [/\bsettings-\d+\b/g, "settings"],
  [/\bgroup-\d+\b/g, "web"],
  [/\bmatrix-\d+\b/g, "web"]
]

/** Names that mean another thing in each group of operations. */
const inGroup: Readonly<Record<string, ReadonlyArray<readonly [name: RegExp, shown: string]>>> = {
  databases: [
    [/\bmatrix-\d+\b/g, "orders-copy"],
    [/\bmatrix\b/g, "orders"],
    [/^secret$|(?<=app:)secret(?=@)/g, "q7ZtW2mLxR9kVbEXAMPLE"],
    [/\bhost\.db-[0-9a-f]+\.svc\b/g, "orders-rw.db-acme.svc"],
    // Every tenant's nightly backup has a minute of its own.
    [/^0 \d+ \d+ \* \* \*$/g, "0 30 2 * * *"]
  ],
  integrations: [[/\bmatrix-\d+\b/g, "on-call channel"]],
  edge: [[/\bmatrix-\d+\b/g, "shop"]],
  policy: [[/\bmatrix-\d+\b/g, "engineering"]],
  alarms: [[/^hot$/g, "High load on the web server"]]
}

/** The measurements of an upstream, which no two runs have alike. */
const measured = { calls: 240, failed: 3, failed_percent: 1.3, p50_ms: 18.4, p95_ms: 92.7 }
const last_failure = { at: "2026-03-02T09:58:12.000Z", call: "GET", status: 503 }

const withMeasurements = (part: unknown): unknown =>
  Predicate.isObject(part) && "p50_ms" in part
    ? { ...part, ...(part["calls"] === 0 ? {} : { ...measured, last_failure }) }
    : part

/** Whether the last use of a credential is written already when it is read depends on how long the run takes. */
const isLastUse = (name: string): boolean => name === "last_used_at" || name === "last_used_from"

export const readable = (group: string, value: unknown): unknown => {
  const all = [...(inGroup[group] ?? []), ...names]
  const text = (_: string) => all.reduce((given, [name, shown]) => given.replaceAll(name, shown), _)
  return JSON.parse(JSON.stringify(value), (name, part: unknown) => {
    if (isLastUse(name)) return null
    return typeof part === "string" ? text(part) : withMeasurements(part)
  })
}
