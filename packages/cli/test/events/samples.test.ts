import { assert, describe, expect, it } from "@effect/vitest"
import { Event, tenantTopics } from "@portico/contract/Events"
import { SubscribedTopics } from "@portico/contract/Targets"
import { Schema } from "effect"
import { samples } from "../../src/events/samples.ts"
import { topics, webhookTopics } from "../../src/events/topics.ts"
import { declaredKinds, samplesOf } from "./samples.ts"

describe("the command line's samples of events", () => {
  it("cover every kind that a webhook can get; a new kind is added with -u", async () => {
    const kinds = await declaredKinds()
    assert.isAbove(kinds.length, 35)
    await expect(`${JSON.stringify(samplesOf(kinds), null, 2)}\n`).toMatchFileSnapshot("../../generated/events.json")
  })

  it("are events that match the contract, each with data of its kind", async () => {
    const kinds = await declaredKinds()
    const id = "5b0c4b5e-6f0a-4f43-9f0e-0d3b1f0c9a11"
    for (const { data, kind, topic } of kinds) {
      const sample = { id, kind, at: "2026-01-05T10:00:00.000Z", ...samples[kind] }
      assert.isTrue(Schema.is(Event)(sample), kind)
      assert.isTrue(Schema.is(Schema.make(data))(sample.data), kind)
      assert.strictEqual(sample.topic, topic)
      assert.include(Object.values(sample.data ?? {}), sample.key)
    }
  })

  it("cover the contract's topics", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(topics, tenantTopics.toSorted())
    assert.isTrue(Schema.is(SubscribedTopics)(webhookTopics))
    assert.strictEqual(webhookTopics.length, tenantTopics.length - 1)
  })
})
