import { injected } from "@portico/simulator/injected"
import { afterEach } from "vitest"

/** A test says how many faults it injected, which `InjectedReporter` sums up. */
afterEach(({ task }) => {
  if (injected.size === 0) return
  task.meta.faults = Object.fromEntries(injected)
  injected.clear()
})
