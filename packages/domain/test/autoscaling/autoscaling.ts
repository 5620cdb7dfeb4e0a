import { assert } from "@effect/vitest"
import type { GroupCreate } from "@portico/contract/Autoscaling"
import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { createGroup } from "@portico/domain/autoscaling/create"
import { showGroup } from "@portico/domain/autoscaling/read"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { callerOf } from "@portico/testing/tenants/caller"
import { inTime, pass } from "@portico/testing/clock"

export const template = { flavor_id: "2", image_id: publicImageId }

/** A group of the tenant's that nobody has looked at yet, by its id. */
export const groupOf = Effect.fnUntraced(function* (projectId: string, request: Partial<GroupCreate> = {}) {
  const wanted = { name: "web", min: 0, max: 5, desired: 3, template, ...request }
  return (yield* inTime(createGroup(callerOf(projectId), projectId, wanted))).group_id
})

/** Goes on as the replicas do, until the group is as it should be, or for so many rounds. */
export const converged = Effect.fnUntraced(function* (projectId: string, groupId: string, rounds = 60) {
  for (let round = 0; round < rounds; round++) {
    yield* inTime(reconcileGroups, "2 seconds")
    const group = yield* showGroup(projectId, groupId)
    if (group.state === "active") return group
    yield* pass(10)
  }
  return yield* showGroup(projectId, groupId)
})

/** Goes on until the group is gone. */
export const ended = Effect.fnUntraced(function* (projectId: string, groupId: string) {
  const { autoscalingGroups } = yield* Memory
  for (let round = 0; round < 60; round++) {
    yield* inTime(reconcileGroups, "2 seconds")
    if (!autoscalingGroups.has(groupId)) return
    yield* pass(10)
  }
  return yield* Effect.die(`the group ${groupId} of ${projectId} does not go`)
})

/** The servers of a project that Nova has, oldest first. */
export const serversOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return Object.values(world.nova.servers)
    .filter((_) => _.project_id === projectId)
    .toSorted((a, b) => a.created_at - b.created_at)
})

/** The group has as many servers as it wants, they are its own, and there are no others. */
export const exactly = Effect.fnUntraced(function* (
  projectId: string,
  groupId: string,
  count: number,
  because: string
) {
  const servers = yield* serversOf(projectId)
  assert.lengthOf(servers, count, because)
  const group = yield* showGroup(projectId, groupId)
  assert.sameMembers(
    group.servers.map((_) => _.server_id),
    servers.map((_) => _.id),
    because
  )
  const slots = new Set(servers.map((_) => _.metadata["portico-autoscaling-slot"]))
  assert.strictEqual(slots.size, count, because)
  for (const { metadata } of servers) assert.strictEqual(metadata["portico-autoscaling-group"], groupId, because)
})

/** What was told, by topic: the kinds, in order. */
export const toldOf = Effect.fnUntraced(function* (topic: string) {
  const { events } = yield* Memory
  return [...events.values()].filter((_) => _.topic === topic).map((_) => String(_.envelope["kind"]))
})
