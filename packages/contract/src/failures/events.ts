import type { Resource } from "./Resource.ts"

/** Failures of events, webhooks and integrations. */
export const events = {
  NotFound: {
    webhook: {
      code: "webhook_not_found",
      detail: (id: string) => `Webhook '${id}' not found`,
      example: ["w-1"],
      cause: "No webhook of the caller's tenant has this id.",
      fix: "List them under GET /v1/webhooks."
    },
    integration: {
      code: "integration_not_found",
      detail: (id: string) => `Integration '${id}' not found`,
      example: ["i-1"],
      cause: "No notification integration of the caller's tenant has this id.",
      fix: "List them under GET /v1/integrations."
    },
    /** Among the events that the webhook is subscribed to and that are still kept. */
    event: {
      code: "event_not_found",
      detail: (id: string) => `Event '${id}' not found`,
      example: ["e-1"],
      cause:
        "No event of the caller's tenant has this id, it is older than 30 days, or the webhook or integration is not " +
        "subscribed to it.",
      fix: "Take an id from GET /v1/events, and compare the event's topic and kind with the webhook's or integration's."
    }
  },
  Conflict: {
    webhookDisabled: {
      code: "webhook_disabled",
      detail: (id: string) => `Webhook '${id}' is disabled, so that nothing is sent to it: enable it first`,
      example: ["w-1"],
      cause: "The webhook is disabled: by its tenant, because it failed for too long, or because it answered 410.",
      fix: "Enable it with PATCH /v1/webhooks/{webhook_id}, and send the request again."
    },
    integrationDisabled: {
      code: "integration_disabled",
      detail: (id: string) => `Integration '${id}' is disabled, so that nothing is sent to it: enable it first`,
      example: ["i-1"],
      cause:
        "The integration is disabled: by its tenant, because it failed for too long, because it answered 410, or because " +
        "none of its addresses has agreed yet.",
      fix: "Enable it with PATCH /v1/integrations/{integration_id}, or have an address agree, and send the request again."
    },
    mailNotOffered: {
      code: "mail_not_offered",
      detail: "Notifications by e-mail are not offered on this cloud",
      cause: "The gateway has no mail server (SMTP_URL), so that no notification can go by e-mail.",
      fix: "Use an integration of another kind, or a webhook."
    },
    confirmationAllowance: {
      code: "confirmation_allowance",
      detail: (most: number) =>
        `At most ${most} addresses an hour are asked whether they want notifications; ask again later`,
      example: [20],
      cause: "The tenant has had as many addresses asked whether they want its notifications as it may in an hour.",
      fix: "Wait until an hour has passed since the first of them."
    }
  },
  Unprocessable: {
    integrationField: {
      code: "integration_field_refused",
      detail: (kind: string, field: string) => `An integration of the kind '${kind}' has no ${field}`,
      example: ["email", "url"],
      cause: "The change names a field that integrations of this kind do not have.",
      fix: "`to` belongs to `email`, `url` to `slack` and `generic`, `headers` to `generic`."
    },
    /** The same sentence for a wrong, an expired and a used code. */
    confirmation: {
      code: "confirmation_refused",
      detail: "No address waits for this code",
      cause:
        "No address of the integration waits for this code; it is valid for 24 hours, and until a newer one is sent.",
      fix: "PATCH the integration with its `to`: the addresses that have not agreed get a new code."
    },
    recipient: {
      code: "recipient_refused",
      detail: (address: string, why: string) => `Nothing can be sent to '${address}': ${why}`,
      example: ["a@b.example", "the mail server refused it (550)"],
      cause: "The mail server does not take mail for one of the addresses, and never will.",
      fix: "Correct the address."
    },
    /** For a webhook or an integration. */
    targetAddress: {
      code: "target_address_refused",
      detail: (why: string) => `Nothing can be sent to the address: ${why}`,
      example: ["it is not an address"],
      cause:
        "The gateway sends no events to the address of the webhook or integration. The address does not begin with " +
        "https://, carries a user name, has a spelling that programs read differently, or is not on the public " +
        "internet, as it is written or as its name resolves.",
      fix: "Name a public https:// address, in its usual spelling: `detail` names the fault."
    }
  },
  TooManyRequests: {
    eventStreams: {
      code: "event_streams_exhausted",
      detail: (most: number) => `The tenant has ${most} event streams open with this replica already; end one first`,
      example: [20],
      cause: "The tenant has as many live event streams open with one replica as it may.",
      fix: "End a stream first, or read `GET /v1/events` now and then."
    },
    /** The limit of all tenants together; the response does not disclose whose streams they are. */
    eventStreamsInAll: {
      code: "event_streams_full",
      detail: (most: number) => `This replica holds ${most} event streams, as many as it can; try again later`,
      example: [1000],
      cause: "One replica of the gateway has as many live event streams open as it can hold.",
      fix: "Try again later, or read `GET /v1/events` now and then."
    }
  }
} as const satisfies Resource
