#!/usr/bin/env node
import process from "node:process"

// What the simulated cloud is written with is newer than some Nodes that are still in use.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major > 22 || (major === 22 && minor >= 21)) {
  await import("./command.ts")
} else {
  console.error(`portico-simulator needs Node 24, or 22.21 at least, and this is ${process.version}.`)
  process.exitCode = 2
}
