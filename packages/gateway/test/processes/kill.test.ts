import { hang, killedOnboarding } from "./killed.ts"

// The other places and operations: kill.integration.test.ts.
killedOnboarding(hang("neutron", "POST /v2.0/networks", "after"))
