import type { Reason } from "../../difference.ts"

const [withSessions, stateless] = ["2025-11-25", "2026-07-28"]

const inBoth = (...checks: ReadonlyArray<string>) =>
  [withSessions, stateless].flatMap((revision) => checks.map((_) => `${revision} ${_}`))
const inSessions = (...checks: ReadonlyArray<string>) => checks.map((_) => `${withSessions} ${_}`)
const inStateless = (...checks: ReadonlyArray<string>) => checks.map((_) => `${stateless} ${_}`)

/** Every check of the suite that our tools, prompts and resources cannot pass. */
export const reasons: ReadonlyArray<Reason> = [
  {
    why: "Tools answer with text and structured content, because answers of the API are JSON: no image, sound or resource.",
    checks: inBoth("tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content")
  },
  {
    why: "The suite wants three reports within a call of some 100 ms; ours report only while a call takes long.",
    checks: inBoth("tools-call-with-progress")
  },
  {
    why: "Tools send no log messages to clients: what a call did is an event of the topic agent.actions.",
    checks: [
      ...inSessions("tools-call-with-logging"),
      ...inStateless("server-stateless/sep-2575-server-no-log-without-loglevel")
    ]
  },
  {
    why: "The gateway asks a client neither for completions of its model nor for its roots.",
    checks: [
      ...inSessions("tools-call-sampling"),
      ...inStateless(
        "input-required-result-basic-sampling/sep-2322-sampling-incomplete",
        "input-required-result-basic-list-roots/sep-2322-list-roots-incomplete",
        "input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete",
        "input-required-result-capability-check/sep-2322-respect-client-capabilities"
      )
    ]
  },
  {
    why: "A question to a person is a form with the one field `confirm`: no defaults, choices, names or second round.",
    checks: [
      ...inSessions(
        "elicitation-sep1034-defaults/elicitation-sep1034-general",
        "elicitation-sep1330-enums/elicitation-sep1330-general"
      ),
      ...inStateless(
        "input-required-result-basic-elicitation/sep-2322-elicitation-incomplete",
        "input-required-result-multi-round/sep-2322-multi-round-r1"
      )
    ]
  },
  {
    why: "The answer comes without a requestState, so that it belongs to no question, and the person is asked.",
    checks: inStateless("input-required-result-ignore-extra-params/sep-2322-ignore-unexpected-params")
  },
  {
    why: "No prompt needs an answer of the client's person before it has a text.",
    checks: inStateless("input-required-result-non-tool-request/sep-2322-non-tool-incomplete")
  },
  {
    why: "The suite wants its own tool, whose schema has definitions and anchors that no operation of the API needs.",
    checks: inBoth("json-schema-2020-12/json-schema-2020-12-tool-found")
  },
  {
    why: "Resources are JSON, and none is bytes.",
    checks: inBoth("resources-read-binary")
  },
  {
    why: "The addresses made of a template name areas and codes of errors, and none of those is `123`.",
    checks: inBoth("resources-templates-read")
  },
  {
    why: "Clients subscribe to no resource: the server says so in its capabilities.",
    checks: inSessions("resources-subscribe", "resources-unsubscribe")
  },
  {
    why: "Prompts are text alone.",
    checks: inBoth("prompts-get-embedded-resource", "prompts-get-with-image")
  },
  {
    why: "The suite wants diagnostic tools by name in the list: one that needs a capability, one that asks in a stream.",
    checks: inStateless(
      "server-stateless/sep-2575-server-rejects-undeclared-capability",
      "server-stateless/sep-2575-missing-capability-http-400",
      "server-stateless/sep-2575-http-server-no-independent-requests-on-stream"
    )
  },
  {
    why: "The suite changes the lists by tools of its own, which are not there, so that nothing changes.",
    checks: inStateless(
      "server-stateless/sep-2575-server-sends-prompts-list-changed-on-subscription",
      "server-stateless/sep-2575-server-sends-tools-list-changed-on-subscription"
    )
  },
  {
    why: "No tool takes an argument in a header.",
    checks: inStateless(
      "http-custom-header-server-validation/sep-2243-server-no-xmcp-tool",
      "http-custom-header-server-validation/sep-2243-server-decode-base64",
      "http-custom-header-server-validation/sep-2243-server-validate-param-match",
      "http-custom-header-server-validation/sep-2243-server-reject-invalid-param-chars",
      "http-custom-header-server-validation/sep-2243-server-reject-param-mismatch"
    )
  }
]
