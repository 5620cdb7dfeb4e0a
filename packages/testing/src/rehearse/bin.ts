#!/usr/bin/env node
import process from "node:process"

// The steps are TypeScript that Node loads as it is, and the rest needs a Node as new. So it is told before anything
// else is loaded.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major > 22 || (major === 22 && minor >= 21)) {
  await import("./main.ts")
} else {
  console.error(`portico-testing needs Node 24, or 22.21 at least, and this is ${process.version}.`)
  process.exitCode = 2
}
