import { createOperatorClient, type PorticoOperator } from "@portico/client/operator"
import { sessionAuth } from "../session/session.ts"

/** The operations of the operator plane. */
export const operator: PorticoOperator = createOperatorClient({ url: location.origin, token: sessionAuth })
