import { createClient, type Portico } from "@portico/client"
import { sessionAuth } from "../session/session.ts"

/** The operations of customers, on whichever plane this console is. */
export const portico: Portico = createClient({ url: location.origin, token: sessionAuth })
