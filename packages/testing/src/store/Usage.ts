import { EventLog } from "@portico/store/EventLog"
import { type AgentUsage, type Sum, summed, Usage } from "@portico/store/Usage"
import { DateTime, Effect, Layer } from "effect"
import { layer as eventLog } from "./EventLog.ts"
import { isIn, pageIn } from "./Pages.ts"
import { Memory } from "./Memory.ts"
import { Table } from "./transaction.ts"

export const layer = Layer.effect(
  Usage,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { credentials } = memory
    const log = yield* EventLog
    const cursors = new Table<string, number>()
    const held = new Table<string, { readonly call_count: number; readonly last_call_at: DateTime.Utc }>()

    const agents = new Table<string, AgentUsage>()

    const whose = (sum: Sum) =>
      [...credentials.values()].find((_) => _.credential_id === sum.credential || _.user_id === sum.user)

    const add = (sum: Sum) => {
      const row = whose(sum)
      if (row !== undefined) addToolCalls(row.credential_id, sum)
      if (row === undefined || row.kind === "member") return
      const before = held.get(row.credential_id)
      const at = DateTime.makeUnsafe(sum.at)
      held.set(row.credential_id, {
        call_count: (before?.call_count ?? 0) + sum.count,
        last_call_at: before === undefined ? at : DateTime.max(before.last_call_at, at)
      })
    }

    const addToolCalls = (credential_id: string, { tools }: Sum) => {
      if (tools === null) return
      const before = agents.get(credential_id)
      const at = DateTime.makeUnsafe(tools.at)
      const isLast = before === undefined || !DateTime.isLessThan(at, before.last_call_at)
      agents.set(credential_id, {
        credential_id,
        calls: (before?.calls ?? 0) + tools.calls,
        refused: (before?.refused ?? 0) + tools.refused,
        last_tool: isLast ? tools.tool : before.last_tool,
        last_call_at: isLast ? at : before.last_call_at
      })
    }

    return Usage.of({
      fold: Effect.fnUntraced(function* (topic, limit, counted) {
        const events = yield* log.page(topic, cursors.get(topic) ?? 0, limit)
        for (const sum of summed(events, counted)) add(sum)
        const last = events.at(-1)
        if (last !== undefined) cursors.set(topic, last.sequence)
        return events.length
      }),
      page: Effect.fnUntraced(function* (listed, page) {
        const all = [...credentials.values()].filter(isIn(listed, memory, yield* DateTime.now))
        const { count, rows } = pageIn(all, (_) => _.credential_id, page)
        const none = { call_count: 0, last_call_at: null }
        return { count, rows: rows.map((_) => ({ ..._, ...(held.get(_.credential_id) ?? none) })) }
      }),
      agents: (credentialIds) =>
        Effect.sync(() =>
          [...agents.values()]
            .filter((_) => credentialIds.includes(_.credential_id) && credentials.has(_.credential_id))
            .toSorted((one, other) => (one.credential_id < other.credential_id ? -1 : 1))
        ),
      note: (uses) =>
        Effect.sync(() => {
          for (const { at, credentialId, from } of uses) {
            const row = credentials.get(credentialId)
            if (row === undefined || (row.last_used_at !== null && !DateTime.isLessThan(row.last_used_at, at))) continue
            credentials.set(credentialId, { ...row, last_used_at: at, last_used_from: from })
          }
          return []
        })
    })
  })
).pipe(Layer.provide(eventLog))
