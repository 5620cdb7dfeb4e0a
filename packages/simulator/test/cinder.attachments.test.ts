import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { tenant } from "./cinder.ts"

const headers = { "openstack-api-version": "volume 3.27" }

it.effect("attachments are listed for their project, and shown to any project by id", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const { world } = yield* SimulatedCloud
    const id = yield* acme.volume(1)
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* acme.get(`/volumes/${id}`)).json.volume.status, "available")
    const volume = world.cinder.volumes[id]
    assert.isDefined(volume)
    volume.attachment = { id: "a", server_id: "s", device: "/dev/vdb", attached_at: 0, delete_on_termination: false }
    const get = ({ projectId, token }: typeof acme, path: string) =>
      ask("GET", `/volume/v3/${projectId}${path}`, { token, headers })

    for (const list of ["/attachments", "/attachments/detail", "/attachments?all_tenants=1"]) {
      const own = yield* get(acme, list)
      assert.deepInclude(own.json.attachments[0], { id: "a", volume_id: id, instance: "s" }, list)
      assert.deepStrictEqual((yield* get(globex, list)).json.attachments, [], list)
    }
    for (const who of [acme, globex]) {
      const shown = yield* get(who, "/attachments/a")
      assert.deepInclude(shown.json.attachment, { volume_id: id, attach_mode: "rw" })
    }
    assert.strictEqual((yield* get(globex, "/attachments/b")).status, 404)
    const old = yield* ask("GET", `/volume/v3/${acme.projectId}/attachments/a`, { token: acme.token })
    assert.strictEqual(old.status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
