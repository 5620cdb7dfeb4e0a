import { OperatorApi } from "@portico/contract/Api"
import { capacity } from "@portico/domain/tenants/admission"
import { HttpApiBuilder } from "effect/http-api"

export const SignupsHandlers = HttpApiBuilder.group(OperatorApi, "signups", (handlers) =>
  handlers.handle("capacity", () => capacity())
)
