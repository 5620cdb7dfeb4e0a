// The test files that run in one process share the modules of their helpers: a rule of oxlint, for those helpers.

const hooks = new Set(["afterAll", "afterEach", "beforeAll", "beforeEach"])

const rule = {
  meta: {
    type: "problem",
    docs: { description: "A helper's hooks are registered by the file that needs them." },
    messages: {
      hook: "'{{name}}' runs for the first file alone that loads this module. Register it in a function that each file calls."
    },
    schema: []
  },
  create(context) {
    return {
      "Program > ExpressionStatement > CallExpression"({ callee }) {
        if (hooks.has(callee.name)) context.report({ node: callee, messageId: "hook", data: { name: callee.name } })
      }
    }
  }
}

export default { meta: { name: "shared" }, rules: { hooks: rule } }
