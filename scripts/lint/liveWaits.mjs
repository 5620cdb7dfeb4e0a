// The files of `npm test` wait for no real time: a rule of oxlint, for tests and the helpers beside them.

const timers = new Set(["setTimeout", "setInterval"])
const timerModules = new Set(["timers", "timers/promises", "node:timers", "node:timers/promises"])

/** What pauses on the clock of the context. */
const pauses = {
  Effect: new Set(["sleep", "delay"]),
  Schedule: new Set(["cron", "duration", "exponential", "fibonacci", "fixed", "spaced", "windowed"])
}

/** On the live clock: said by the file itself, or a helper that knows no test clock. */
const isLive = ({ filename, sourceCode: { text } }) =>
  /excludeTestServices: true|\bit\.live\b/.test(text) ||
  !(/\.test\.tsx?$/.test(filename) || /\bTestClock\b|testing\/clock"|\.\/clock\.ts"/.test(text))

const waits = {
  meta: {
    type: "problem",
    docs: { description: "No test waits in real time." },
    messages: {
      timer: "'{{name}}' takes real time. Wait for what happens, or tell the story in an .integration.test.ts file.",
      pause:
        "'{{name}}' is on the live clock here. Move a test clock (@portico/testing/clock), or tell the story in an .integration.test.ts file."
    },
    schema: []
  },
  create(context) {
    const live = isLive(context)
    const report = (node, messageId, name) => context.report({ node, messageId, data: { name } })
    return {
      ImportDeclaration(node) {
        if (timerModules.has(node.source.value)) report(node, "timer", node.source.value)
      },
      Identifier(node) {
        if (!timers.has(node.name)) return
        const { parent } = node
        const isName =
          (parent.type === "MemberExpression" && parent.property === node && parent.object.name !== "globalThis") ||
          (parent.type === "Property" && parent.key === node && !parent.shorthand) ||
          parent.type === "ImportSpecifier"
        if (!isName) report(node, "timer", node.name)
      },
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return
        const name = `${node.object.name}.${node.property.name}`
        const pausing = pauses[node.object.name]?.has(node.property.name) === true
        if (name === "TestClock.withLive" || (live && pausing)) report(node, "pause", name)
      }
    }
  }
}

export default { meta: { name: "live" }, rules: { waits } }
