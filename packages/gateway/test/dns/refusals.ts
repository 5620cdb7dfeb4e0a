import { canary, type Issue, issue, type Refusal } from "../routes/refusals.ts"

type Values = Readonly<Record<string, ReadonlyArray<Issue>>>

const text = issue("string_type", "Input should be a valid string")
const number = issue("number_type", "Input should be a valid number")
const integer = issue("value_error", "Input should be an integer")
const boolean = issue("bool_type", "Input should be a valid boolean")
const list = issue("list_type", "Input should be a valid list")
const mail = issue("value_error", "Input should be an e-mail address")
const most = (length: number) => issue("value_error", `Input should be a value with a length of at most ${length}`)
const some = issue("value_error", "Input should be a value with a length of at least 1")
const seconds = issue("value_error", "Input should be a value between 0 and 2147483647")
const plain = issue(
  "value_error",
  "Input should be a string without control characters, and without emoji and other characters beyond U+FFFF"
)

/** Of what may be null as well. */
const forms = issue("union", "Input should be one of the accepted forms")

const zoneTtl: Values = {
  '"60"': [number],
  "-1": [seconds],
  "2147483648": [seconds],
  "1.5": [integer],
  null: [number],
  true: [number]
}
const ttl: Values = {
  '"60"': [forms],
  "-1": [seconds],
  "2147483648": [seconds],
  "1.5": [integer],
  true: [forms]
}
const description: Values = {
  "7": [forms],
  [`"${canary}${"x".repeat(160)}"`]: [most(160)],
  [`"${canary}\\n"`]: [plain],
  '"\u{1f600}"': [plain]
}
const name: Values = { null: [text], "7": [text], [`"${canary}${"x".repeat(255)}"`]: [most(255)] }
const email: Values = { null: [text], '""': [mail], [`"${canary}"`]: [mail] }
const records: Values = {
  null: [list],
  '"192.0.2.1"': [list],
  "[]": [some],
  [`[${Array.from({ length: 501 }, () => '""').join(",")}]`]: [most(500)]
}
const types = issue("literal_error", "Input should be 'A', 'AAAA', 'CNAME', 'TXT' or 'MX'")

const zone = "POST /v1/dns/zones"
const zoneChange = "PATCH /v1/dns/zones/:zone_id"
const recordset = "POST /v1/dns/zones/:zone_id/recordsets"
const recordsetChange = "PATCH /v1/dns/zones/:zone_id/recordsets/:recordset_id"
const zoneImport = "POST /v1/dns/zones/:zone_id/import"

export const dnsGood = {
  [zone]: { name: "fine.example." },
  [zoneChange]: { ttl: 60 },
  [recordset]: { name: "www", type: "A", records: ["192.0.2.1"] },
  [recordsetChange]: { ttl: 60 },
  [zoneImport]: { zonefile: "" }
}

/** What each field of a body does not take. */
export const dnsRequests = {
  [zone]: {
    good: dnsGood[zone],
    fields: { name, email, ttl: zoneTtl, description }
  },
  [zoneChange]: { good: dnsGood[zoneChange], fields: { email, ttl: zoneTtl, description } },
  [recordset]: {
    good: dnsGood[recordset],
    fields: {
      name,
      type: { null: [types], '"a"': [types], '"SOA"': [types], '""': [types] },
      records,
      ttl,
      description
    }
  },
  [recordsetChange]: { good: dnsGood[recordsetChange], fields: { records, ttl, description } },
  [zoneImport]: {
    good: dnsGood[zoneImport],
    fields: {
      zonefile: { null: [text], "7": [text] },
      dry_run: { null: [boolean], '"false"': [boolean], "0": [boolean] },
      prune: { null: [boolean], '"true"': [boolean] }
    }
  }
}

export const dnsRequired: Readonly<Record<string, ReadonlyArray<string>>> = {
  [zone]: ["name"],
  [zoneChange]: [],
  [recordset]: ["name", "type", "records"],
  [recordsetChange]: [],
  [zoneImport]: ["zonefile"]
}

const parameter = (msg: string, of: string, type = "value_error"): Refusal => [issue(type, msg, "query", of)]

const pages: Readonly<Record<string, Refusal>> = {
  "?limit=0": parameter("Input should be a value between 1 and 1000", "limit"),
  "?limit=1001": parameter("Input should be a value between 1 and 1000", "limit"),
  [`?cursor=${canary}`]: parameter("Input should be the next_cursor of an earlier page", "cursor")
}

/** What the queries do not take. */
export const dnsQueries: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/dns/zones": {
    ...pages,
    [`?name=${"x".repeat(256)}`]: parameter("Input should be a value with a length of at most 255", "name")
  },
  "GET /v1/dns/zones/:zone_id/recordsets": {
    ...pages,
    "?type=a": parameter("Input should be 'A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS' or 'SOA'", "type", "literal_error"),
    [`?name=${"x".repeat(256)}`]: parameter("Input should be a value with a length of at most 255", "name"),
    [`?name=${canary}&name=${canary}`]: parameter("Input should be a valid string", "name", "string_type")
  }
}
