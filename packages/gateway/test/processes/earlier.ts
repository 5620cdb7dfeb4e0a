import { client, migratedBy } from "@portico/store/Database"
import { migrations } from "@portico/store/migrations"
import { tables } from "@portico/store/Store"
import * as Gateway from "@portico/gateway/Gateway"
import { launch } from "@portico/gateway/launch"
import * as ConsoleSessions from "@portico/testing/store/ConsoleSessions"
import { Memory, MemoryChanges } from "@portico/testing/store/Memory"
import * as Logs from "@portico/gateway/observability/logs"
import { Announcement } from "@portico/gateway/serve"
import * as SettingsCheck from "@portico/gateway/settings/check"
import { Layer } from "effect"

// A gateway that knows every migration but the newest one. Its code is that of this release, but for what needs the
// newest table: that is in its memory.

const earlier = Object.fromEntries(Object.entries(migrations).slice(0, -1))

Announcement.pipe(
  Layer.provide(Gateway.layer),
  Layer.provide(ConsoleSessions.layer.pipe(Layer.provide([Memory.layer, MemoryChanges.layer]))),
  Layer.provide(Layer.provideMerge(Layer.provide(tables, migratedBy(earlier)), client)),
  Layer.provide(SettingsCheck.layer),
  Layer.provide(Logs.layer),
  launch
)
