import { assert, describe, it } from "@effect/vitest"
import { detailOf } from "@portico/upstream/errorDetail"

const page =
  "<html><head><title>503</title></head><body>\n <h1>Service Unavailable</h1> No server\n is available.</body></html>"

const zitadel = {
  code: 6,
  message: "Errors.User.AlreadyExisting (COMMAND-k2una)",
  details: [{ "@type": "type.googleapis.com/zitadel.v1.ErrorDetail", id: "COMMAND-k2una", message: "no" }]
}

describe("the message of a refusal, from every envelope", () => {
  it.each([
    ["Keystone", 409, { error: { code: 409, title: "Conflict", message: "Conflict occurred" } }, "Conflict occurred"],
    ["Nova", 403, { forbidden: { code: 403, message: "Quota exceeded for cores" } }, "Quota exceeded for cores"],
    ["Nova's bad request", 400, { badRequest: { code: 400, message: "Invalid input" } }, "Invalid input"],
    ["Nova's fault", 500, { computeFault: { code: 500, message: "Unexpected API Error." } }, "Unexpected API Error."],
    ["Cinder", 413, { overLimit: { code: 413, message: "VolumeLimitExceeded" } }, "VolumeLimitExceeded"],
    [
      "Neutron",
      409,
      { NeutronError: { type: "RouterInUse", message: "Router r has ports", detail: "" } },
      "Router r has ports"
    ],
    [
      "Octavia",
      403,
      { faultcode: "Client", faultstring: "Quota has been met.", debuginfo: null },
      "Quota has been met."
    ],
    [
      "Barbican",
      403,
      { code: 403, title: "Forbidden", description: "Secret creation not allowed" },
      "Secret creation not allowed"
    ],
    [
      "Designate",
      400,
      { code: 400, type: "invalid_object", message: "Provided object is not valid" },
      "Provided object is not valid"
    ],
    ["the object gateway", 409, { Code: "UserAlreadyExists", RequestId: "tx1", HostId: "h" }, "UserAlreadyExists"],
    [
      "the object gateway with words",
      403,
      { Code: "AccessDenied", Message: "Not yours", RequestId: "tx1" },
      "Not yours"
    ],
    ["Zitadel", 409, zitadel, "Errors.User.AlreadyExisting (COMMAND-k2una)"],
    ["OAuth", 400, { error: "invalid_grant", error_description: "the code is gone" }, "the code is gone"],
    ["OAuth without words", 401, { error: "invalid_client" }, "invalid_client"],
    ["an envelope with markup", 400, { error: { message: "<b>no</b>  <i>way</i>" } }, "no way"],
    ["an envelope without words", 500, { error: { code: 500, message: "" } }, "answered 500"],
    ["an unknown envelope", 418, { teapot: true }, "answered 418"],
    ["an array", 500, ["no"], "answered 500"],
    ["null", 500, null, "answered 500"]
  ] as const)("%s", (_, status, body, words) => assert.strictEqual(detailOf(status, JSON.stringify(body)), words))

  it.each([
    ["a page", 503, page, "503 Service Unavailable No server is available."],
    [
      "Glance's page",
      409,
      "<html><body><h1>409 Conflict</h1>Image in use<br /></body></html>",
      "409 Conflict Image in use"
    ],
    ["plain text", 404, "404 page not found\n", "404 page not found"],
    ["nothing", 502, "", "answered 502"],
    ["blanks", 502, " \n\t ", "answered 502"],
    ["markup alone", 502, "<html></html>", "answered 502"],
    ["half of an envelope", 500, '{"error": {"mess', '{"error": {"mess']
  ])("%s", (_, status, body, words) => assert.strictEqual(detailOf(status, body), words))

  it("has at most 500 characters", () => {
    assert.lengthOf(detailOf(500, "x".repeat(2000)), 500)
    assert.lengthOf(detailOf(500, JSON.stringify({ message: "x".repeat(2000) })), 500)
  })
})
