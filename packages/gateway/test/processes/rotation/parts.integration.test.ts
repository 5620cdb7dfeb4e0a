import { assert, it } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as kafka from "../../../../upstream/test/kafka/RealBrokers.ts"
import { commanded, freePort, isInstalled as hasRedis, redisOn } from "../../limits/redis.ts"
import { type Account, exim, isHere as hasExim } from "../../parts/exim.ts"
import { named } from "../../parts/parts.ts"
import { eventually } from "../children.ts"
import { fleetOf, lightLoad } from "../fleet.ts"
import { story, tenantOf } from "../harness.ts"
import { judgedAnew, lab, newKey, only, readiness } from "./lab.ts"

const account = (user: string): Account => ({ user, password: newKey() })

story.skipIf(!hasExim)(
  named("SMTP_URL is replaced by a second account, and no mail is refused", "exim4", hasExim),
  () =>
    Effect.gen(function* () {
      const { accept, ca, delivered, urlOf } = yield* exim
      const [former, next] = [account("former"), account("next")]
      yield* accept(former)
      const settings = {
        ...lab,
        UPSTREAM_CA_FILE: ca,
        MAIL_FROM: "noreply@cloud.example",
        MAIL_CONFIRMATIONS_PER_HOUR: "1000"
      }
      const fleet = yield* fleetOf({ ...settings, SMTP_URL: urlOf(former) })
      const { token } = yield* tenantOf(only(fleet.members()), "Acme GmbH")
      let sent = 0
      const load = yield* lightLoad(fleet, [
        {
          // It answers when the mail server has accepted the mail that asks to confirm the address.
          name: "mail",
          call: Effect.fnUntraced(function* (_) {
            const body = { kind: "email", name: "on call", to: ["ops@acme.example"], topics: ["alarms"] }
            const made = yield* _.customer<{ integration_id: string }>(token, "POST", "/v1/integrations", body)
            if (made.status >= 400) return made
            sent += 1
            return yield* _.customer(token, "DELETE", `/v1/integrations/${made.body.integration_id}`)
          })
        }
      ])
      yield* load.isFine("before")

      yield* accept(former, next)
      yield* fleet.roll({ ...settings, SMTP_URL: urlOf(next) })
      yield* load.isFine("the new one is in use")

      yield* accept(next)
      yield* load.isFine("the former one is withdrawn")
      const arrived = Effect.map(delivered, (all) => assert.isAtLeast(all.length, sent))
      yield* eventually(arrived)
    })
)

story.skipIf(!hasRedis)(
  named("REDIS_URL is replaced by a second user, and no call fails", "redis-server", hasRedis),
  () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const redis = yield* redisOn(port)
      const command = (...words: ReadonlyArray<string>) => commanded(redis.url, ...words)
      const [former, next] = [account("former"), account("next")]
      const withUser = ({ password, user }: Account) =>
        Effect.as(
          Effect.map(command("ACL", "SETUSER", user, "on", `>${password}`, "~*", "&*", "+@all"), (_) =>
            assert.strictEqual(_, "+OK\r\n")
          ),
          {
            ...lab,
            RATE_LIMIT: "true",
            RATE_LIMIT_RPM_DISCOVERY: "100000",
            REDIS_URL: `redis://${user}:${password}@127.0.0.1:${port}`
          }
        )
      const fleet = yield* fleetOf(yield* withUser(former))
      const { token } = yield* tenantOf(only(fleet.members()), "Acme GmbH")
      const load = yield* lightLoad(fleet, [
        { name: "whoami", call: (_) => _.whoami(token) },
        { name: "readiness", call: readiness }
      ])
      yield* load.isFine("before")

      yield* fleet.roll(yield* withUser(next))
      yield* load.isFine("the new one is in use")

      // It cuts what the user is connected with, too.
      assert.strictEqual(yield* command("ACL", "DELUSER", former.user), ":1\r\n")
      // On a busy machine Redis counts as absent for a moment, whoever logs in.
      yield* judgedAnew(fleet)
      yield* load.isFine("the former one is withdrawn")
      assert.include(yield* command("CLIENT", "LIST"), `user=${next.user} `)
    })
)

/** How many calls have been audited, and are not in Kafka yet. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT count(*)::int AS count FROM events WHERE topic = ${auditTopic}
      AND sequence > COALESCE((SELECT position FROM relays WHERE topic = ${`kafka/${auditTopic}`}), 0)`
  return row?.count
})

if (!kafka.isHere) it.skip(kafka.named("KAFKA_PASSWORD is replaced"), () => {})
else {
  story("KAFKA_PASSWORD is replaced by a second user, and every event arrives", () =>
    Effect.gen(function* () {
      const [former, next] = ["portico", "next"]
      const brokers = yield* kafka.realBrokers({
        settings: { "super.users": "User:ANONYMOUS;User:portico;User:next" },
        users: [next]
      })
      const settingsOf = (user: string) => ({
        ...lab,
        KAFKA_BROKERS: brokers.login,
        KAFKA_REPLICATION: "1",
        KAFKA_USERNAME: user,
        KAFKA_PASSWORD: kafka.password
      })
      const fleet = yield* fleetOf(settingsOf(former))
      const { token } = yield* tenantOf(only(fleet.members()), "Acme GmbH")
      let minted = 0
      const load = yield* lightLoad(fleet, [
        { name: "readiness", call: readiness },
        {
          // Each is an event.
          name: "mint and revoke",
          call: Effect.fnUntraced(function* (_) {
            const made = yield* _.mint(token, "short-lived", 0)
            if (made.status >= 400) return made
            minted += 1
            return yield* _.revoke(token, made.body.credential_id ?? "")
          })
        }
      ])
      const relayed = eventually(Effect.map(waiting, (_) => assert.isAtMost(_ ?? 0, 5)))
      yield* load.isFine("before")
      yield* relayed

      yield* fleet.roll(settingsOf(next))
      yield* load.isFine("the new one is in use")

      yield* brokers.withdraw(former)
      yield* judgedAnew(fleet)
      yield* load.isFine("the former one is withdrawn")
      yield* relayed
      let arrived = 0
      yield* brokers.each(auditTopic, () => void (arrived += 1))
      assert.isAtLeast(arrived, minted)
    })
  )
}
